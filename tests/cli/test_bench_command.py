"""`rootle bench`: the choice of queries, the comparison of answers, the table and the plot."""

from __future__ import annotations

import json
import xml.etree.ElementTree
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rootle.bench.answers import Answer, compare, parse_lines
from rootle.bench.clock import Sample, alternate, typical
from rootle.bench.measure import Measured, Report
from rootle.bench.plot import as_svg
from rootle.bench.queries import Query, choose
from rootle.bench.searchers import python_re
from rootle.bench.table import as_table

if TYPE_CHECKING:
    from tests.cli.conftest import Run
    from tests.conftest import Tree


FILES: dict[str, str | bytes | Path | None] = {
    **{f"f{number}.py": "common_word\n" * 5 + f"only_in_{number}\n" for number in range(6)},
    "data.bin": b"common_word\0binary\n",
}


def test_choose_takes_words_of_the_tree(tree: Tree) -> None:
    """The common word is the most frequent one, the rare one stands in one file, the third nowhere; always the same."""
    root = tree(FILES)
    paths = sorted(FILES)

    rare, common, none, regex = queries = choose(str(root), paths)

    assert (rare.pattern[:8], common.pattern) == ("only_in_", "common_word")
    assert none.pattern not in "".join(text for text in FILES.values() if isinstance(text, str))
    assert (regex.fixed, rare.fixed) == (False, True)
    assert queries == choose(str(root), paths)


def test_choose_from_an_empty_tree(tree: Tree) -> None:
    """Without words there is still one query."""
    assert [query.name for query in choose(str(tree({})), [])] == ["none"]


def test_parse_lines_takes_all_three_forms() -> None:
    """Ripgrep and grep write `path NUL line:`, git `path NUL line NUL`; messages are no answers."""
    output = b"./a.py\x001:x\nb c.py\x0012\x00y:1\nd.bin: binary file matches\n./e\x003:a\x004:b\n"

    assert parse_lines(output) == {(b"a.py", 1), (b"b c.py", 12), (b"e", 3)}


@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        ({(b"a", 1), (b"a", 2)}, "equal"),
        ({(b"a", 1), (b"a", 2), (b"bin", 9)}, "equal"),
        ({(b"a", 1), (b"a", 2), (b"ignored", 1)}, "equal (1 lines more in files that rootle leaves out)"),
        ({(b"a", 1)}, "differs: 1 missing, 0 more; first a:2"),
        ({(b"a", 1), (b"a", 2), (b"b", 7)}, "differs: 0 missing, 1 more; first b:7"),
    ],
)
def test_compare(theirs: Answer, words: str) -> None:
    """Binary files do not count, files outside rootle's rules are said, everything else is a difference."""
    comparison = compare({(b"a", 1), (b"a", 2)}, theirs, listed={b"a", b"b", b"bin"}, binary={b"bin"})

    assert comparison.words() == words
    assert comparison.equal == words.startswith("equal")


def test_python_re_finds_lines_and_leaves_binary_files_out(tree: Tree) -> None:
    """The standard library's search is by line and skips files with NUL bytes."""
    root = tree(FILES)

    found = python_re(str(root), ["f1.py", "data.bin"], Query("q", "only_in_[0-9]"))

    assert found == [("f1.py", 6, b"only_in_1")]


def test_alternate_takes_turns_and_medians() -> None:
    """Each work runs once more than counted, in turn; medians are by column."""
    turns: list[str] = []
    samples = alternate({"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, rounds=3)

    assert turns == ["a", "b"] * 4
    assert [len(taken) for taken in samples.values()] == [3, 3]
    assert typical([Sample(1, 9), Sample(3, 7), Sample(2, 8)]) == Sample(2, 8)


def report(*rows: tuple[str, float]) -> Report:
    """Make a report of one query."""
    query = Query("rare", "a<b>&c")
    measured = tuple(Measured(name, query, Sample(wall_s, wall_s), None) for name, wall_s in rows)
    versions = {name: "1.0" for name, _ in rows}
    return Report("/tree", 7, 3, versions, {"rare": 2}, measured)


def test_ratios_are_to_ripgrep_where_it_is() -> None:
    """The baseline is ripgrep, else rootle."""
    with_rg, without = report(("rootle", 0.001), ("rg", 0.004)), report(("rootle", 0.001), ("grep", 0.003))

    assert [with_rg.ratio(row).wall_s for row in with_rg.rows] == [0.25, 1]
    assert [without.ratio(row).wall_s for row in without.rows] == [1, pytest.approx(3)]
    assert "0.25" in as_table(with_rg)


def test_plot_is_a_picture_with_every_searcher() -> None:
    """The SVG parses, escapes patterns, and cuts a bar that would leave the picture."""
    picture = xml.etree.ElementTree.fromstring(as_svg(report(("rootle", 0.001), ("rg", 0.004), ("slow", 4.0))))

    words = [node.text or "" for node in picture.iter("{http://www.w3.org/2000/svg}text")]
    bars = [float(node.attrib["width"]) for node in picture.iter("{http://www.w3.org/2000/svg}rect")]
    assert {"rootle", "rg", "slow"} <= set(words)
    assert any("a<b>&c" in text for text in words)
    assert max(bars) <= float(picture.attrib["width"])
    assert any("1000.00" in text for text in words)


def test_bench_measures_a_tree(rootle: Run, tree: Tree, tmp_path: Path) -> None:
    """The command prints the figures of every searcher that is here and writes the plot."""
    tree(FILES)
    plot = tmp_path / "plot.svg"

    done = rootle("bench", ".", "--rounds", "1", "--json", "--plot", str(plot))

    figures = json.loads(done.stdout)
    assert done.returncode == 0
    assert {"rootle", "python re"} <= {row["searcher"] for row in figures["rows"]}
    assert all(row["equal"] for row in figures["rows"] if row["searcher"] in ("python re", "rg"))
    assert plot.read_text().startswith("<svg")


def test_bench_with_own_patterns_prints_a_table(rootle: Run, tree: Tree) -> None:
    """`-p` takes the place of the chosen queries."""
    tree(FILES)

    table = rootle("bench", "--rounds", "1", "-p", "only_in_[0-3]").stdout.decode()

    assert "query 1" in table
    assert "only_in_[0-3]" in table
    assert "rare" not in table
