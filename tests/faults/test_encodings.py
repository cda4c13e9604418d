"""Text in other encodings, with invalid bytes, with NULs: decoded, flagged, never silently changed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from rootle import Toolbox, Workspace

if TYPE_CHECKING:
    from tests.conftest import Tree

_GERMAN = "Die Größe der Straße übertrifft die schönsten Träume; Äpfel, Öl und Übermut.\n" * 5
_CHINESE = "这是一个用来测试编码检测的中文句子，里面没有别的内容。\n" * 5


@pytest.mark.parametrize(
    ("raw", "text", "encoding"),
    [
        (b"\xff\xfe" + "größe\nneedle\n".encode("utf-16-le"), "größe\nneedle\n", "utf-16-le"),
        (b"\xfe\xff" + "größe\nneedle\n".encode("utf-16-be"), "größe\nneedle\n", "utf-16-be"),
        (b"\xef\xbb\xbf" + "größe\nneedle\n".encode(), "größe\nneedle\n", "utf-8"),
        (_GERMAN.encode("cp1252"), _GERMAN, "windows-1252"),
        (_CHINESE.encode("gbk"), _CHINESE, "gbk"),
        (_CHINESE.encode(), _CHINESE, "utf-8"),
    ],
)
def test_read_names_the_encoding(tree: Tree, raw: bytes, text: str, encoding: str) -> None:
    """The text is that which was encoded; the encoding is named; nothing is replaced."""
    answer = Toolbox(tree({"f": raw})).call("read_file", {"path": "f"})
    file = answer.data.files[0]
    assert "\n".join(line.text for line in file.lines) + "\n" == text
    assert (file.encoding, file.lossy, file.binary) == (encoding, False, False)
    assert (f"encoding {encoding}" in answer.text) == (encoding != "utf-8" or raw.startswith(b"\xef\xbb\xbf"))


def test_replacement_characters_are_always_flagged(tree: Tree) -> None:
    """Random bytes give text of some encoding, or none; U+FFFD stands only in what is called lossy."""
    source = random.Random(7)
    files: dict[str, bytes] = {}
    for index in range(60):
        length = source.randrange(1, 400)
        files[f"r{index}"] = bytes(source.randrange(1, 256) for _ in range(length))
        files[f"t{index}"] = b"some plain text\n" * 9 + bytes([source.randrange(128, 256)]) + b" and more of it\n"
    box = Toolbox(tree({**files}))
    for name in files:
        file = box.call("read_file", {"path": name}).data.files[0]
        assert file.encoding
        if any("\ufffd" in line.text for line in file.lines):
            assert file.lossy, name
    for hit in box.call("grep", {"pattern": "(?s-u:.)", "max_matches": 2000}).data.matches:
        assert hit.lossy or "\ufffd" not in hit.text, hit.path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_explicit_encoding_that_does_not_fit(tree: Tree, encoding: str) -> None:
    """Bytes that are wrong in the encoding that was asked for are replaced, and that is said."""
    answer = Toolbox(tree({"f": b"caf\xe9 \xff\n"})).call("read_file", {"path": "f", "encoding": encoding})
    file = answer.data.files[0]
    assert file.lossy
    assert "U+FFFD" in answer.text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_search_in_utf_16(tree: Tree, codec: str) -> None:
    """With a byte order mark the text is found; without one the file is binary, and said to be."""
    mark = "\ufeff".encode(codec)
    body = "größe\nthe needle\n".encode(codec)
    box = Toolbox(tree({"marked": mark + body, "plain": body}))
    found = box.call("grep", {"pattern": "needle$"}).data
    assert [(hit.path, hit.line, hit.text) for hit in found.matches] == [("marked", 2, "the needle")]
    assert found.coverage["binary"] == 1


def test_offsets_on_lines_with_invalid_bytes(tree: Tree) -> None:
    """A byte that is no UTF-8 neither hides the match nor shifts its place, and the line is flagged."""
    root = tree({"f": b"first\ncaf\xe9 \xff needle here\n"})
    hit = Workspace(root).grep("needle").matches[0]
    assert (hit.line, hit.byte_offset, hit.lossy) == (2, 6, True)
    start, end = hit.spans[0]
    assert hit.text[start:end] == "needle"
    assert hit.text == "caf\ufffd \ufffd needle here"
    shown = Toolbox(root).call("grep", {"pattern": "needle"}).data.matches[0]
    assert (shown.line, shown.column, shown.lossy) == (2, hit.column, True)
    assert [line.line for line in Workspace(root).grep(r"caf(?-u:\xe9)").matches] == [2]


@pytest.mark.parametrize(
    ("raw", "lines", "binary"),
    [
        (b"\0needle\n", [], True),
        (b"needle\n\0\nneedle\n", [1], True),
        (b"needle\n" + b"x" * 80 + b"\n" + b"y" * (64 * 1024) + b"\0\nneedle\n", [1], True),
        (b"x\n" * 40_000 + b"needle\n" + b"x\n" * 40_000 + b"\0", [40_001], True),
        (b"needle\nneedle\n\0", [1, 2], True),
        (b"needle\nplain\n", [1], False),
    ],
)
def test_search_up_to_the_first_nul(tree: Tree, raw: bytes, lines: list[int], binary: bool) -> None:
    """Matches before the first NUL are given, those after it are not, and the answer says so (ripgrep#993)."""
    answer = Toolbox(tree({"f": raw})).call("grep", {"pattern": "needle"})
    assert [hit.line for hit in answer.data.matches] == lines
    assert answer.data.coverage["binary"] == int(binary)
    assert ("binary" in answer.text) == binary
    if lines:
        assert answer.data.files[0].binary == binary
