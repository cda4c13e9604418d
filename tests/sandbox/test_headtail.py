"""The beginning and the end are kept, as the core keeps them."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from rootle.sandbox.headtail import HeadTail


@example(0, [b"x"])
@given(st.integers(0, 40), st.lists(st.binary(max_size=30).map(lambda piece: bytes(b & 0x7F for b in piece))))
def test_first_quarter_and_end(most: int, pieces: list[bytes]) -> None:
    """Whatever the pieces are."""
    kept = HeadTail(most)
    for piece in pieces:
        kept.push(piece)
    whole = b"".join(pieces)
    head, tail = most // 4, most - most // 4
    expected = whole if len(whole) <= most else whole[:head] + whole[len(whole) - tail :]
    assert (kept.data, kept.total, kept.gap) == (expected, len(whole), None if len(whole) <= most else head)


@given(st.integers(0, 60), st.text("aäß€😀", max_size=60), st.integers(1, 9))
def test_no_character_is_cut(most: int, text: str, size: int) -> None:
    """Both ends are text."""
    kept = HeadTail(most)
    data = text.encode()
    for at in range(0, len(data), size):
        kept.push(data[at : at + size])
    gap = len(kept.data) if kept.gap is None else kept.gap
    assert text.startswith(kept.data[:gap].decode())
    assert text.endswith(kept.data[gap:].decode())


def test_noise_stays() -> None:
    """Bytes that are no text are kept as they are."""
    kept = HeadTail(100)
    kept.push(bytes(range(256)))
    assert (kept.total, kept.gap, len(kept.data)) == (256, 25, 100)
