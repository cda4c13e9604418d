"""Base edits: one hunk of a real change between two versions, with 0 to 3 lines of context a side.

    python -m benches.editgold.bases             # build all, print counts by package and file type

A hunk is kept where its `old` occurs exactly once in the older file; what the edit should give is the older file with
that one hunk applied. Which files and hunks are taken depends on the seed and the manifest alone.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from benches.editgold.sources import Source, cache_dir, manifest, tree

__all__ = ["SEED", "Base", "Hunk", "bases", "find_missing", "hunks_of"]

SEED = 20261130
_FORMAT = 5  # raise when what is built changes

_CODE = frozenset(
    {".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".c", ".h", ".cc", ".cpp", ".go", ".rs", ".pyx"}
)
_PROSE_AND_DATA = frozenset(
    {".md", ".rst", ".txt", ".toml", ".json", ".yaml", ".yml", ".cfg", ".ini", ".css", ".html", ".sh"}
)
_CODE_SHARE = 3  # code files come this many times as often as other types

_MAX_FILE_BYTES = 200_000
_MAX_LINES = 5_000
_MAX_LINE = 1_000
_MAX_HUNK_LINES = 40
_MAX_CONTEXT = 3
_HUNKS_PER_FILE = 3
_MIN_TEXT = 3  # characters of `old` that are not white space
_TRAILING_SHARE = 0.15  # so many edits are given with the newline that ends their last line


Hunk = tuple[int, tuple[tuple[str, str], ...], bool]
"""The index of its first line in the file; its (kind, line): `=` kept, `-` removed, `+` added; ends with a newline."""


@dataclass(frozen=True, slots=True)
class Base:
    """An edit before any noise; `ops` as in a hunk, `others` are the other hunks taken from the same file."""

    id: str
    source: str
    split: str
    path: str
    folder: str
    start: int
    ops: tuple[tuple[str, str], ...]
    trailing: bool
    others: tuple[Hunk, ...] = ()

    @classmethod
    def each(cls, hunks: list[Hunk], *, source: str, split: str, path: str, folder: str) -> Iterator[Base]:
        """Make a base edit of each of a file's hunks."""
        for number, (start, ops, trailing) in enumerate(hunks):
            others = tuple(hunk for hunk in hunks if hunk[0] != start)
            yield cls(f"{source}:{path}#{number}", source, split, path, folder, start, ops, trailing, others)

    @property
    def type(self) -> str:
        """Give the file's suffix, which names its type."""
        return Path(self.path).suffix

    @property
    def lines(self) -> int:
        """Count the lines of `old`."""
        return sum(kind != "+" for kind, _ in self.ops)

    def text(self) -> str:
        """Read the older file."""
        return _read(str(Path(self.folder) / self.path)) or ""


def bases(split: str | None = None, limit: int | None = None, seed: int = SEED) -> list[Base]:
    """Give the base edits of a split (None: of both), at most `limit` of them, spread over all packages."""
    found = [base for base in _all(seed) if split in (None, base.split)]
    return found[:limit]


def find_missing() -> list[str]:
    """Name the packages whose versions cannot be had on this machine."""
    have = {base.source for base in _all(SEED)}
    return [source.name for source in manifest() if source.name not in have]


@cache
def _all(seed: int) -> tuple[Base, ...]:
    sources = [source for source in manifest() if tree(source, source.old) and tree(source, source.new)]
    key = hashlib.sha256(f"{seed} {_FORMAT} {sources}".encode()).hexdigest()
    stored = cache_dir() / f"bases-{key[:16]}.jsonl"
    if stored.is_file():
        rows = [json.loads(line) for line in stored.read_text(encoding="utf-8").split("\n") if line]
        return tuple(_base(row) for row in rows)
    built = [base for source in sources for base in _of_source(source, seed)]
    built.sort(key=lambda base: _rank(seed, base.id))
    stored.parent.mkdir(parents=True, exist_ok=True)
    fresh = stored.with_suffix(".new")
    fresh.write_text("".join(json.dumps(asdict(base)) + "\n" for base in built), encoding="utf-8")
    fresh.rename(stored)
    return tuple(built)


def _base(row: dict[str, Any]) -> Base:
    others = tuple((start, _ops(ops), trailing) for start, ops, trailing in row["others"])
    return Base(**{**row, "ops": _ops(row["ops"]), "others": others})


def _ops(listed: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((kind, text) for kind, text in listed)


def _of_source(source: Source, seed: int) -> Iterator[Base]:
    old, new = tree(source, source.old), tree(source, source.new)
    assert old is not None
    assert new is not None
    left = source.quota
    for path in _changed_files(old, new, seed, source.name):
        before, after = _read(str(old / path)), _read(str(new / path))
        if before is None or after is None or before == after:
            continue
        rng = Random(f"{seed} {source.name} {path}")
        hunks = hunks_of(before, after, rng)
        for base in Base.each(hunks, source=source.name, split=source.split, path=path, folder=str(old)):
            yield base
            left -= 1
            if left == 0:
                return


def hunks_of(before: str, after: str, rng: Random) -> list[Hunk]:
    """Give some hunks of a change, in random order."""
    a, b = _lines(before), _lines(after)
    if len(a) > _MAX_LINES or len(b) > _MAX_LINES:
        return []
    groups = _groups(a, b, rng)
    rng.shuffle(groups)
    taken = []
    for group in groups:
        edit = _edit(a, b, group, before, rng)
        if edit is not None:
            taken.append(edit)
        if len(taken) == _HUNKS_PER_FILE:
            break
    return taken


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _groups(a: list[str], b: list[str], rng: Random) -> list[list[tuple[str, int, int, int, int]]]:
    """Put changes that at most two kept lines part together, half of the time, as one hunk of a diff would."""
    codes = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    groups: list[list[tuple[str, int, int, int, int]]] = []
    for code in codes:
        if code[0] == "equal":
            continue
        last = groups[-1][-1] if groups else None
        if last is not None and code[1] - last[2] <= 2 and rng.random() < 0.5:
            groups[-1].append(code)
        else:
            groups.append([code])
    return groups


def _edit(
    a: list[str], b: list[str], group: list[tuple[str, int, int, int, int]], before: str, rng: Random
) -> Hunk | None:
    first, last = group[0][1], group[-1][2]
    lead, trail = rng.randint(0, _MAX_CONTEXT), rng.randint(0, _MAX_CONTEXT)
    trailing = rng.random() < _TRAILING_SHARE
    if first == last and lead == trail == 0:
        lead = 1
    start, end = max(0, first - lead), min(len(a), last + trail)
    ops = [("=", line) for line in a[start:first]]
    at = first
    for _, i1, i2, j1, j2 in group:
        ops += [("=", line) for line in a[at:i1]]
        ops += [("-", line) for line in a[i1:i2]] + [("+", line) for line in b[j1:j2]]
        at = i2
    ops += [("=", line) for line in a[at:end]]
    trailing = trailing and (end < len(a) or before.endswith("\n"))
    return (start, tuple(ops), trailing) if _usable(ops, before, trailing) else None


def _usable(ops: list[tuple[str, str]], before: str, trailing: bool) -> bool:
    old = [line for kind, line in ops if kind != "+"]
    new = [line for kind, line in ops if kind != "-"]
    if not old or old == new or sum(kind != "=" for kind, _ in ops) > _MAX_HUNK_LINES:
        return False
    text = "\n".join(old) + ("\n" if trailing else "")
    if len("".join(text.split())) < _MIN_TEXT or "\n".join(old).strip("\n") == "\n".join(new).strip("\n"):
        return False  # newlines at the ends of what models send mean nothing, so that such an edit says nothing
    at = before.find(text)
    return at >= 0 and before.find(text, at + 1) < 0


def _changed_files(old: Path, new: Path, seed: int, source: str) -> list[str]:
    """List the files that both trees have, shuffled, code types more often than others."""
    by_type: dict[str, list[str]] = {}
    for file in old.rglob("*"):
        path = file.relative_to(old).as_posix()
        if file.suffix not in _CODE | _PROSE_AND_DATA or not _plain(file, old) or not _plain(new / path, new):
            continue
        by_type.setdefault(file.suffix, []).append(path)
    order = []
    for suffix, paths in by_type.items():
        paths.sort(key=lambda path: _rank(seed, f"{source} {path}"))
        share = _CODE_SHARE if suffix in _CODE else 1
        order += [(number // share, suffix, path) for number, path in enumerate(paths)]
    return [path for _, _, path in sorted(order)]


def _plain(file: Path, top: Path) -> bool:
    skipped = {"site-packages", "__pycache__", "node_modules"} & set(file.relative_to(top).parts)
    return not skipped and not file.is_symlink() and file.is_file() and file.stat().st_size <= _MAX_FILE_BYTES


def _rank(seed: int, name: str) -> str:
    return hashlib.sha256(f"{seed} {name}".encode()).hexdigest()


@cache
def _read(path: str) -> str | None:
    """Read a text of plain UTF-8 with LF line ends; None where the file is not such a text."""
    content = Path(path).read_bytes()
    if b"\r" in content or b"\0" in content or content.startswith(b"\xef\xbb\xbf"):
        return None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if max(map(len, text.split("\n"))) > _MAX_LINE else text


def main() -> None:
    """Print what the manifest gives."""
    found = bases()
    for what in ("split", "source", "type"):
        print(what, dict(Counter(getattr(base, what) for base in found).most_common()))
    print(len(found), "base edits; left out:", find_missing() or "nothing")


if __name__ == "__main__":
    main()
