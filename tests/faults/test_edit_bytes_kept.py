"""What an edit does not touch stays as it is, byte for byte, in any encoding, with any line ends."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rootle import Replacement, Toolbox, apply_edits
from rootle.errors import RootleError, ToolRetryError, UnencodableText

if TYPE_CHECKING:
    from tests.conftest import Tree


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        # CRLF is kept for an edit in LF, on the lines that it writes.
        (b"a\r\nb\r\nc\r\n", ("b\n", "x\ny\n"), b"a\r\nx\r\ny\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", ("a\nb", "a\nx"), b"a\r\nx\r\nc\r\n"),
        # Mixed line ends and a lone CR.
        (b"a\r\nb\nc\rd\ne\r\n", ("b", "x"), b"a\r\nx\nc\rd\ne\r\n"),
        # The mark stands once, and line 1 can be matched.
        (b"\xef\xbb\xbfimport a\nb\n", ("import a", "import x"), b"\xef\xbb\xbfimport x\nb\n"),
        # A byte of another encoding elsewhere.
        (b"caf\xe9\nname = 1\n", ("name = 1", "name = 2"), b"caf\xe9\nname = 2\n"),
        (b"\xff\xfe\xfa\nname = 1\n", ("name = 1", "name = 2"), None),
        # The state at the end of the file.
        (b"a\nb", ("b", "c"), b"a\nc"),
        (b"a\nb", ("b\n", "c\n"), b"a\nc"),
        (b"a\nb\n", ("b", "c"), b"a\nc\n"),
        # Nothing of the new text means anything but itself.
        (b"a\nb\n", ("b", r"$& $$ $1 \1 \n %s {} \g<0>"), b"a\n$& $$ $1 \\1 \\n %s {} \\g<0>\n"),
        (b"\xff\xfea\x00\n\x00b\x00\n\x00", ("b", "\u6f22"), b"\xff\xfea\x00\n\x00\x22\x6f\n\x00"),
        (
            "これは日本語の文章です。\nname = 1\n".encode("shift_jis"),
            ("name = 1", "name = 日本"),
            "これは日本語の文章です。\nname = 日本\n".encode("shift_jis"),
        ),
    ],
)
def test_an_edit_touches_its_own_text_only(
    tree: Tree, before: bytes, edit: tuple[str, str], after: bytes | None
) -> None:
    """Exactly these bytes, or a refusal and the old ones."""
    root = tree({"f": before})
    box = Toolbox(root)
    try:
        box.call("update_file", {"path": "f", "old": edit[0], "new": edit[1]})
    except ToolRetryError:
        assert after is None
        assert (root / "f").read_bytes() == before
    else:
        assert (root / "f").read_bytes() == after


def test_a_character_that_the_encoding_has_not_is_named(tree: Tree) -> None:
    """The edit is refused and the file stays."""
    before = "Это русский текст для проверки.\nname = 1\n".encode("cp1251") * 5
    before += b"last = 1\n"
    root = tree({"f": before})
    for tool, arguments in (
        ("update_file", {"old": "last = 1", "new": "last = \u6f22"}),
        ("write_file", {"content": "\u6f22\n"}),
    ):
        box = Toolbox(root)
        box.call("read_file", {"path": "f"})
        with pytest.raises(UnencodableText) as caught:
            box.call(tool, {"path": "f", **arguments})
        assert "U+6F22" in str(caught.value)
        assert (root / "f").read_bytes() == before


LINES = st.lists(
    st.binary(max_size=12).filter(lambda line: b"\n" not in line and b"\0" not in line), min_size=1, max_size=12
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\n\n"])
TEXT = st.text(alphabet="abcxyz =_é漢\t\n", max_size=12)


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lines=LINES, ends=st.lists(ENDS, min_size=12, max_size=12), mark=st.booleans(), at=st.integers(0, 11), new=TEXT)
def test_bytes_before_and_after_an_edit_are_the_same(
    lines: list[bytes], ends: list[bytes], mark: bool, at: int, new: str
) -> None:
    """Whatever the bytes are: the result is the original around the edit, or there is none."""
    at %= len(lines)
    content = (b"\xef\xbb\xbf" if mark else b"") + b"".join(line + end for line, end in zip(lines, ends, strict=False))
    old = f"anchor_{at} = value\n"
    pieces = content.split(lines[at], 1) if lines[at] else [content, b""]
    whole = pieces[0] + b"\nanchor_%d = value\n" % at + pieces[1]
    try:
        done = apply_edits(whole, [Replacement(old, f"anchor_{at} = {new}\n")])
    except RootleError:
        return
    place = whole.index(b"anchor_%d = value" % at)
    assert done.content[:place] == whole[:place]
    rest = whole[place + len(old) :]
    assert done.content.endswith(rest)
    assert b"\xef\xbf\xbd" not in done.content or b"\xef\xbf\xbd" in whole


def test_the_guard_of_the_test_above_can_fail() -> None:
    """A writer that decodes and encodes again would lose the byte."""
    whole = b"caf\xe9\nanchor = 1\n"
    naive = whole.decode("utf-8", "replace").replace("anchor = 1", "anchor = 2").encode()
    done: Any = apply_edits(whole, [Replacement("anchor = 1", "anchor = 2")]).content
    assert not naive.startswith(b"caf\xe9\n")
    assert done == b"caf\xe9\nanchor = 2\n"


def test_modes_and_owners_are_kept(tree: Tree) -> None:
    """Bits and times of the file that are not its content."""
    import os

    root = tree({"f": "x\n"})
    path = Path(root / "f")
    if os.geteuid() == 0:
        os.chown(path, 1000, 1000)
    path.chmod(0o4755)
    try:
        os.setxattr(path, "user.note", b"kept")
        noted = True
    except OSError:
        noted = False
    Toolbox(root).call("update_file", {"path": "f", "old": "x", "new": "y"})
    state = path.stat()
    assert path.read_text() == "y\n"
    assert oct(state.st_mode & 0o7777) == "0o4755"
    if os.geteuid() == 0:
        assert (state.st_uid, state.st_gid) == (1000, 1000)
    if noted:
        assert os.getxattr(path, "user.note") == b"kept"
