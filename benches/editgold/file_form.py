"""The file in another form: mixed line ends, no final newline, other encodings, a byte order mark, one line."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

from benches.editgold.blocks import kept, runs
from benches.editgold.draft import Draft, Line
from benches.editgold.wording import indent_of, material

__all__ = [
    "byte_order_mark",
    "legacy_encoding",
    "mixed_ends",
    "no_final_newline",
    "one_line",
    "one_line_drifted",
    "utf_16",
]

_CHINESE = (
    "读取配置文件并返回结果",
    "如果缓存已经过期则重新加载数据",
    "参数不能为空，否则抛出异常",
    "这里需要检查用户是否有权限访问",
    "循环处理每一个元素并记录日志",
    "关闭连接之前先提交事务",
)
_JAPANESE = (
    "設定ファイルを読み込んで結果を返します",
    "キャッシュが古い場合は再読み込みする",
    "引数は空であってはならない",
    "ユーザーの権限を確認してください",
    "それぞれの要素を処理して記録する",
    "接続を閉じる前にコミットする",
)
_WESTERN = (
    "die Größe der Datei wird vorher geprüft, falls nötig",
    "vérifie que la clé est déjà présente avant l'écriture",
    "el año de creación no puede ser mayor que el límite",
    "für jeden Schlüssel wird der ursprüngliche Wert behalten",
    "cette méthode doit être appelée après la création de l'élève",
)
_LEGACY = (("gbk", _CHINESE), ("shift_jis", _JAPANESE), ("cp1252", _WESTERN))
_COMMENT = {
    ".py": "# ",
    ".pyi": "# ",
    ".yml": "# ",
    ".yaml": "# ",
    ".toml": "# ",
    ".sh": "# ",
    ".cfg": "# ",
    ".rst": ".. ",
}
_ONE_LINE_TYPES = frozenset((".js", ".ts", ".json", ".css", ".html", ".cjs"))
_MARGIN = 3  # lines around the block that end as it does


def mixed_ends(draft: Draft) -> str | None:
    """Both kinds of line ends in one file; around the block one kind only, where lines are new the dominant one.

    New lines get the ends of those that they replace, else the file's dominant one; where the two rules part, no trial.
    """
    end, other = draft.rng.sample(("\n", "\r\n"), 2)
    inserts = any(not run.removed for run in runs(draft))
    share = 0.3 if inserts else 0.7

    def ends(count: int, near_end: bool) -> list[str]:
        made = [other if draft.rng.random() < share else end for _ in range(count)]
        for i in range(min(_MARGIN, count)):
            made[-1 - i if near_end else i] = end
        return made

    head, tail = ends(len(draft.head), True), ends(len(draft.tail), False)
    ours = (head + tail).count(end) + len(draft.file_lines())
    theirs = (head + tail).count(other)
    if not theirs or (inserts and ours < 1.5 * theirs):
        return None
    draft.ends = (head, end, tail)
    return "CRLF at the block" if end == "\r\n" else "LF at the block"


def no_final_newline(draft: Draft) -> str | None:
    """The block ends the file, and the last line has no newline. It still has none afterwards."""
    if draft.block[-1].kind == "-" or not (draft.block[-1].gold or "").strip() or not draft.file_lines()[-1].strip():
        return None
    draft.tail, draft.final_newline = [], False
    draft.trailing = draft.rng.random() < 0.5
    return "call ends with one" if draft.trailing else "nor has the call"


def legacy_encoding(draft: Draft) -> str | None:
    """The file is GBK, Shift-JIS or Windows-1252, with remarks in that script, one of them in the block."""
    name, remarks = draft.rng.choice(_LEGACY)
    comment = _COMMENT.get(draft.base.type, "" if draft.base.type in (".md", ".txt") else "// ")
    for lines in (draft.head, draft.tail):
        for _ in range(draft.rng.randint(3, 5)):
            lines.insert(draft.rng.randint(0, len(lines)), comment + draft.rng.choice(remarks))
    inside = comment + draft.rng.choice(remarks)
    places = [i for i in kept(draft) if i == 0 or draft.block[i - 1].kind == "="] or [0]
    at = draft.rng.choice(places)
    draft.block.insert(at, Line.of("=", indent_of(draft.block[at].old or "") + inside))
    added = [line for line in draft.block if line.kind == "+" and line.new and line.new.strip()]
    both = bool(added) and draft.rng.random() < 0.4
    if both:
        line = draft.rng.choice(added)
        line.new = line.gold = f"{line.new} {comment}{draft.rng.choice(remarks)}"
    draft.codec, draft.encode = name, _encoder(name)
    try:
        for text in ("\n".join([*draft.head, *draft.file_lines(), *draft.tail]), "\n".join(draft.gold_lines())):
            text.encode(name)
    except UnicodeEncodeError:
        return None
    return f"{name}, new text too" if both else name


def _encoder(name: str, mark: bytes = b"") -> Callable[[str], bytes]:
    return lambda text: mark + text.encode(name)


def utf_16(draft: Draft) -> str | None:
    """The file is UTF-16 with its mark, as some editors of other systems write it."""
    name, mark = draft.rng.choice((("utf-16-le", codecs.BOM_UTF16_LE), ("utf-16-be", codecs.BOM_UTF16_BE)))
    draft.codec, draft.encode = name, _encoder(name, mark)
    return name


def byte_order_mark(draft: Draft) -> str | None:
    """The file is UTF-8 with a byte order mark, and the block begins at line 1."""
    draft.head = []
    draft.encode = _encoder("utf-8", codecs.BOM_UTF8)
    return "line 1"


def one_line(draft: Draft) -> str | None:
    """The whole file on one line, as minifiers write it; a quarter of the calls has a space doubled."""
    return _make_one_line(draft)


def one_line_drifted(draft: Draft) -> str | None:
    """As before, and what the edit removes has changed in the file: refused."""
    removed = [line for line in draft.block if line.kind == "-"]
    for line in removed:
        changed = material((line.file or "").strip(), draft.rng)
        if changed is not None:
            line.file = changed
            draft.expect = "refuse"
            return _make_one_line(draft)
    return None


def _make_one_line(draft: Draft) -> str | None:
    if draft.base.type not in _ONE_LINE_TYPES:
        return None

    def join(lines: list[str | None]) -> str:
        return " ".join(line.strip() for line in lines if line and line.strip())

    faces = {face: join([getattr(line, face) for line in draft.block]) for face in ("file", "old", "new", "gold")}
    head, tail = join(list(draft.head)), join(list(draft.tail))
    whole = {face: " ".join(part for part in (head, faces[face], tail) if part) for face in ("file", "gold")}
    if not faces["new"] or faces["old"] == faces["new"] or f"{head} {faces['old']} {tail}".count(faces["old"]) != 1:
        return None
    variant = "exact"
    if draft.expect == "apply" and draft.rng.random() < 0.25:
        shared = _shared_gap(faces["old"], faces["new"])
        if shared is None:
            return None
        for face in ("old", "new"):
            faces[face] = faces[face][:shared] + " " + faces[face][shared:]
        variant = "a space doubled"
    draft.head, draft.tail, draft.trailing = [], [], False
    draft.block = [Line("=", whole["file"], faces["old"], faces["new"], whole["gold"])]
    return variant


def _shared_gap(old: str, new: str) -> int | None:
    """Give where in their common start both have a space."""
    shared = next((i for i in range(min(len(old), len(new))) if old[i] != new[i]), min(len(old), len(new)))
    gaps = [match.start() for match in re.finditer(r"(?<=\w) (?=\w)", old[:shared])]
    return gaps[-1] if gaps else None
