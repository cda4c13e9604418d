"""What a model reads of bytes that commands print."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rootle.commands.excerpt import Kept, excerpt, page
from rootle.commands.text import harmless, hidden_characters, whole_end

LONG = "\x1b]0;" + "a" * 10_000 + "\x07after"


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        (b"plain\ttext\n", "plain\ttext\n"),
        ("ä€😀 👩\u200d💻".encode(), "ä€😀 👩\u200d💻"),
        (b"\x1b[1;31mred\x1b[0m\x1b[K", "red"),
        (b"\x1b[38;2;1;2;3mx\x1b[?25l\x1b[2J\x1b[1A", "x"),
        ("\x9b31mred\x9b0m".encode(), "red"),
        (b"\x9b31mred", "\\x9b31mred"),
        (b"\x1b]0;title\x07x", "x"),
        (b"\x1b]52;c;cm0gLXJm\x07x", "x"),
        (b"\x1b]8;;http://a/\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1b]52;c;cm0gLXJm", "\\x1b]52;c;cm0gLXJm"),
        (b"\x1b]0;one\ntwo\x07three", "\\x1b]0;one\ntwo\\x07three"),
        (LONG.encode(), "\\x1b]0;" + "a" * 10_000 + "\\x07after"),
        (b"\x1bPq#0;1\x1b\\x\x1b_app\x1b\\y", "xy"),
        (b"\x1bPnever ended", "\\x1bPnever ended"),
        (b"\x1b(B\x1b=\x1b7x\x1b8\x1bc", "x"),
        (b"\x1b\x1b[31m[0m", "\\x1b[0m"),
        (b"bell\x07 nul\x00 esc\x1b", "bell\\x07 nul\\x00 esc\\x1b"),
        (b"\xff\xfe \xc3\x28 \xed\xa0\x80 \xe2\x82", "\\xff\\xfe \\xc3( \\xed\\xa0\\x80 \\xe2\\x82"),
        ("a\u202eb\u2066c\u200fd\u2028e".encode(), "a\\u202eb\\u2066c\\u200fd\\u2028e"),
        ("x\U000e0041\U000e007f\U000e0101y".encode(), "x\\U000e0041\\U000e007f\\U000e0101y"),
        (b"NA\x08AM\x08ME _\x08u_\x08l", "NAME ul"),
        (b"hidden\x08\x08\x08shown", "hidden\\x08\\x08\\x08shown"),
        (b"one\r\ntwo\r\n", "one\ntwo\n"),
        (b" 10%\r 50%\r100%\ndone\n", "100%\ndone\n"),
        (
            b"Receiving objects:  10% (1/9)\rReceiving objects: 100% (9/9), done.\n",
            "Receiving objects: 100% (9/9), done.\n",
        ),
        (b"\x1b[2K\rBuilding [=> ] 1/2\x1b[2K\rBuilding [==>] 2/2\n", "Building [==>] 2/2\n"),
        ("⠋ install\r⠙ install\r✓ installed\n".encode(), "✓ installed\n"),
        (b"rm -rf everything\rls\n", "rm -rf everything\nls\n"),
        (b"first\rsecond\rthird", "first\nsecond\nthird"),
        (b"over\r\r\nnext\r", "over\nnext"),
    ],
)
def test_output_becomes_harmless(printed: bytes, text: str) -> None:
    """Sequences go, what is left is escaped, all other text stays."""
    assert harmless(printed) == text


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_nothing_printed_can_do_harm(printed: bytes) -> None:
    """No control character but tabs and line ends, no direction control, no tag, no lone surrogate."""
    for character in harmless(printed):
        assert character in "\t\n" or unicodedata.category(character) not in ("Cc", "Cs")
        assert unicodedata.bidirectional(character) not in (
            "LRE",
            "RLE",
            "PDF",
            "LRO",
            "RLO",
            "LRI",
            "RLI",
            "FSI",
            "PDI",
        )
        assert not 0xE0000 <= ord(character) <= 0xE01EF


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=0xFFFF, categories=["L", "N", "P", "S", "Zs"])))
def test_ordinary_text_is_itself(text: str) -> None:
    """Whatever the language."""
    assert harmless(text.encode()) == text


@given(
    st.lists(st.sampled_from([b"a", "ä".encode(), "€".encode(), "😀".encode(), b"\x1b[31m", b"\n", b"\xff"])),
    st.integers(1, 5),
)
def test_pieces_are_whole(parts: list[bytes], size: int) -> None:
    """Text that comes in pieces reads as it does in one."""
    whole = b"".join(parts)
    waiting, text = b"", ""
    for at in range(0, len(whole), size):
        waiting += whole[at : at + size]
        end = whole_end(waiting)
        text += harmless(waiting[:end])
        waiting = waiting[end:]
        assert len(waiting) < 64
    assert text + harmless(waiting) == harmless(whole)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plain", []),
        ("a\u200bb\nxy\ufeff", [(1, 2, "U+200B"), (2, 3, "U+FEFF")]),
        ("a\u200db", [(1, 2, "U+200D")]),
        ("👩\u200d💻 می\u200cخواهم", []),
        ("\u2060" * 9, [(1, column, "U+2060") for column in range(1, 6)]),
    ],
)
def test_invisible_characters_are_named(text: str, found: list[tuple[int, int, str]]) -> None:
    """With their places; joiners inside emoji and words are ordinary."""
    assert hidden_characters(text, 5) == found


@pytest.mark.parametrize("unit", [b"line\n", b"x", "€".encode(), b"\0", b"\xff", b"\x1b[1m"])
@pytest.mark.parametrize("gap", [False, True])
def test_excerpt_is_bounded_and_says_what_it_leaves_out(unit: bytes, gap: bool) -> None:
    """Beginning and end, three times as much of the end, whole characters, and the bytes between add up."""
    data = unit * (300_000 // len(unit))
    total = len(data) + (999 if gap else 0)
    made = excerpt(Kept(data, 75_000 if gap else None, total))
    assert len(made.text) <= 60_100
    assert made.first is not None
    assert made.last is not None
    assert f"[... {made.last - made.first:,} bytes left out ...]" in made.text
    head, _, tail = made.text.partition("[... ")
    assert head.rstrip("\n") == harmless(data[: made.first]).rstrip("\n")
    assert tail.partition("]\n")[2] == harmless(data[len(data) - (total - made.last) :])
    assert total - made.last > 2 * made.first


@given(
    st.lists(st.sampled_from([b"line\n", "€".encode(), b"\0" * 50, b"long" * 40]), max_size=60), st.integers(100, 900)
)
def test_pages_are_the_output(parts: list[bytes], size: int) -> None:
    """One after the other, nothing is lost or twice, and each goes on."""
    data = b"".join(parts)
    at, text = 0, ""
    while at < len(data):
        read = data[at : at + 2 * size]
        shown, after = page(read, at, more=at + len(read) < len(data), max_bytes=size)
        assert after > at
        text, at = text + shown, after
    assert text == harmless(data)
