"""The list of perturbations: number, name, group, and the function that makes one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from benches.editgold import call_lines, call_space, call_wrap, combined, file_form, file_noise, look_alikes, patch_form
from benches.editgold.bases import SEED, Base
from benches.editgold.decidable import Undecidable
from benches.editgold.draft import Draft, Unchanged
from benches.editgold.trial import Trial

__all__ = ["PERTURBATIONS", "Perturbation", "trials_of"]


@dataclass(frozen=True, slots=True)
class Perturbation:
    """`make` changes a draft and names the variant, or gives None where there is nothing to change in this edit."""

    name: str
    group: str
    make: Callable[[Draft], str | None]


def _none(_: Draft) -> str:
    return "unperturbed"


def _stale_hint(draft: Draft) -> str:
    """Name a line for the hint that is 20 to 200 lines off."""
    off = draft.rng.choice((-1, 1)) * draft.rng.randint(20, 200)
    draft.near_line = max(1, len(draft.head) + 1 + off)
    return "stale"


_FIRST: tuple[tuple[str, Callable[[Draft], str | None]], ...] = (
    ("00_none", _none),
    ("01_trailing_space", call_space.trailing_space),
    ("02_block_dedented", call_space.block_dedented),
    ("03_indent_off", call_space.indent_off),
    ("04_first_indent_lost", call_space.first_indent_lost),
    ("05_tabs_spaces", call_space.tabs_for_spaces),
    ("06_crlf_file", file_noise.crlf),
    ("07_curly_file", file_noise.curly),
    ("08_line_numbers", call_wrap.line_numbers),
    ("09_escaped_quotes", call_wrap.escaped_quotes),
    ("10_blank_dropped", call_space.blank_dropped),
    ("11_blank_added", call_space.blank_added),
    ("12_context_dropped", call_lines.context_dropped),
    ("13_typo_context", call_lines.typo_in_context),
    ("14_typo_change", call_lines.typo_in_change),
    ("15_inner_space", call_space.inner_space),
    ("16_paraphrased", call_lines.context_paraphrased),
    ("17_elided", call_lines.elided),
    ("18_blank_edges", call_space.blank_edges),
    ("19_fenced", call_wrap.fenced),
    ("20_target_deleted", look_alikes.target_deleted),
    ("21_already_applied", look_alikes.already_applied),
    ("22_duplicate", look_alikes.duplicated),
    ("23_near_duplicate", look_alikes.near_duplicate),
    ("24_change_drifted", look_alikes.change_drifted),
    ("25_context_drifted", file_noise.context_drifted),
)
_ADD: tuple[tuple[str, Callable[[Draft], str | None]], ...] = (
    ("30_html_entities", call_wrap.html_entities),
    ("31_decomposed", file_noise.decomposed),
    ("32_nbsp", call_space.nbsp_indent),
    ("33_diff_signs", call_wrap.diff_signs),
    ("34_stale_hint", _stale_hint),
    ("35_hallucinated", call_lines.context_hallucinated),
    ("36_middle_missing", call_lines.middle_missing),
    ("37_three_copies_hint", look_alikes.three_copies_with_hint),
    ("38_comment_differs", file_noise.comment_differs),
    ("39_mixed_ends", file_form.mixed_ends),
    ("40_no_final_newline", file_form.no_final_newline),
    ("41_python_unit", call_space.unit_changed),
    ("42_legacy_encoding", file_form.legacy_encoding),
    ("43_utf_16", file_form.utf_16),
    ("44_byte_order_mark", file_form.byte_order_mark),
    ("45_one_line", file_form.one_line),
    ("46_two_at_once", combined.two_at_once),
    ("47_several_edits", combined.several_edits),
    ("50_unified", patch_form.unified),
    ("51_wrong_counts", patch_form.wrong_counts),
    ("52_out_of_order", patch_form.out_of_order),
    ("53_missing_prefix", patch_form.missing_prefix),
    ("54_path_prefix", patch_form.path_prefix),
    ("55_no_newline_marker", patch_form.no_newline_marker),
    ("56_wrong_line_numbers", patch_form.wrong_line_numbers),
    ("57_begin_patch", patch_form.begin_patch),
    ("58_search_replace", patch_form.search_replace),
    ("60_escaped_newlines", call_wrap.escaped_newlines),
    ("61_dropped_at_insertion", call_lines.context_dropped_at_insertion),
    ("62_applied_old_there", look_alikes.already_applied_old_there),
    ("63_elided_removal", call_lines.elided_removal),
    ("64_removal_middle_missing", call_lines.removal_middle_missing),
    ("65_one_line_drifted", file_form.one_line_drifted),
    ("66_placeholder", combined.placeholder_in_new),
    ("67_one_missing", combined.one_of_several_missing),
    ("68_overlapping", combined.overlapping),
    ("69_patch_drifted", patch_form.drifted),
)

PERTURBATIONS = tuple(
    Perturbation(name, group, make) for group, listed in (("first", _FIRST), ("add", _ADD)) for name, make in listed
)


def trials_of(
    base: Base, chosen: tuple[Perturbation, ...] = PERTURBATIONS, seed: int = SEED
) -> Iterator[Trial | tuple[str, str]]:
    """Make a base edit's trials; an undecidable one is given as (perturbation, base) for the count."""
    text = base.text()
    for perturbation in chosen:
        draft = Draft.of(base, text, Random(f"{seed} {base.id} {perturbation.name}"))
        try:
            variant = perturbation.make(draft)
            if variant is not None:
                yield draft.trial(perturbation.name, variant, perturbation.group)
        except Unchanged:
            continue
        except Undecidable:
            yield perturbation.name, base.id
