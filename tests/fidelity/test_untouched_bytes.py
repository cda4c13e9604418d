"""Random edits of random files: the bytes that an edit does not touch are the same afterwards, or it is refused.

`make fidelity` runs 10,000 of them; `make test` some hundred.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from rootle import Replacement, Workspace, apply_edits
from rootle.errors import RootleError

LONG = os.environ.get("ROOTLE_FIDELITY") == "all"
CASES = 10_000 if LONG else 300

# What the WHATWG means by these names has more characters than what Python does.
WIDER = {"big5": "big5hkscs", "euc-kr": "cp949", "gbk": "gb18030", "shift_jis": "cp932"}
# name: byte order mark, codec, an alphabet that the codec has
FORMS = {
    "utf-8": (b"", "utf-8", "abc =+_é漢😀\t"),
    "utf-8 with mark": (b"\xef\xbb\xbf", "utf-8", "abc =+_é漢\t"),
    "utf-16-le": (b"\xff\xfe", "utf-16-le", "abc =+_é漢😀\t"),
    "utf-16-be": (b"\xfe\xff", "utf-16-be", "abc =+_é漢\t"),
    "utf-32-le": (b"\xff\xfe\0\0", "utf-32-le", "abc =+_é漢\t"),
    "gb18030": (b"", "gb18030", "这是一个用来测试编码检测的中文文本 abc=\t"),
    "shift_jis": (b"", "shift_jis", "これは文字コードの判定を試すための日本語です abc=\t"),
    "cp1251": (b"", "cp1251", "это русский текст для проверки кодировки abc=\t"),
    "stray bytes": (b"", "latin-1", "abc =+_\xe9\xff\x80\t"),
}
ENDS = ["\n", "\r\n"]


@dataclass(frozen=True)
class Case:
    """A file as pieces of bytes around one line, and that line's text before and after."""

    before: bytes
    line: str
    new: str
    after: bytes
    codec: str
    end: str


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a file in some encoding, with some line ends, one line of which is unlike all others."""
    mark, codec, alphabet = FORMS[draw(st.sampled_from(sorted(FORMS)))]
    line_text = st.text(alphabet, max_size=30)
    ends = st.sampled_from(ENDS)

    def block(lines: list[str], last_end: bool) -> bytes:
        text = "".join(line + draw(ends) for line in lines)
        return (text if last_end else text.rstrip("\r\n")).encode(codec)

    above = block(draw(st.lists(line_text, max_size=12)), last_end=True)
    below = block(draw(st.lists(line_text, max_size=12)), last_end=draw(st.booleans()))
    end = draw(ends) if below or draw(st.booleans()) else ""
    inner = draw(st.text(alphabet.replace("\t", ""), min_size=1, max_size=12))
    fresh = draw(st.text(alphabet.replace("\t", ""), max_size=12))
    return Case(mark + above, f"anchor({inner})", f"anchor[{fresh}]", end.encode(codec) + below, codec, end)


def assert_only_the_new_text(case: Case, content: bytes, encoding: str) -> None:
    """What is around the new text is the old bytes; the text itself is in the encoding that the file was found to have.

    Without a mark that is a guess, and a file that is all ASCII says nothing of it.
    """
    middle = content[len(case.before) : len(content) - len(case.after)]
    assert content == case.before + middle + case.after
    assert middle.decode(WIDER.get(encoding.lower(), encoding)) == case.new


@settings(max_examples=CASES, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases(), whole_line=st.booleans())
def test_bytes_around_an_edit_stay(case: Case, whole_line: bool) -> None:
    """Before it and after it; and what is put there is the new text in the file's encoding."""
    content = case.before + case.line.encode(case.codec) + case.after
    end = "\n" if whole_line and case.end else ""
    try:
        done = apply_edits(content, [Replacement(case.line + end, case.new + end)])
    except RootleError as error:
        event(f"refused: {error.code}")
        return
    event("applied")
    assert_only_the_new_text(case, done.content, done.encoding)


def test_most_edits_are_not_refused() -> None:
    """The test above is not empty: in every form that needs no guess at the encoding, the edit is made."""
    for name in ("utf-8", "utf-8 with mark", "utf-16-le", "utf-16-be", "utf-32-le", "stray bytes"):
        mark, codec, _ = FORMS[name]
        content = mark + "a\r\nanchor(x)\nb".encode(codec)
        done = apply_edits(content, [Replacement("anchor(x)", "anchor[y]")])
        assert done.content == mark + "a\r\nanchor[y]\nb".encode(codec), name


@settings(max_examples=CASES // 20, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases())
def test_the_same_holds_on_disk(case: Case) -> None:
    """Through a workspace: the file has these bytes, and taking the edit back gives the old ones."""
    content = case.before + case.line.encode(case.codec) + case.after
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "f")
        path.write_bytes(content)
        workspace = Workspace(directory)
        try:
            done = workspace.edit("f", Replacement(case.line, case.new))
        except RootleError:
            assert path.read_bytes() == content
            return
        assert path.read_bytes() == done.after
        assert_only_the_new_text(case, path.read_bytes(), done.encoding)
        workspace.undo()
        assert path.read_bytes() == content
