"""`Observation`: text that carries data."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from pydantic import BaseModel
from rootle import Observation
from rootle.contracts import ImagePart, TextPart


class Count(BaseModel):
    """Data of a result."""

    lines: int
    path: str = "a"


PLAIN = Observation("3 lines", data=Count(lines=3))
IMAGE = Observation("a cat", parts=[TextPart("a cat"), ImagePart(b"\x89PNG", "image/png")], is_error=True)


def test_observation_is_text() -> None:
    """It goes wherever a `str` goes."""
    assert PLAIN == "3 lines"
    assert f"{PLAIN}!" == "3 lines!"
    assert json.dumps(PLAIN) == '"3 lines"'
    assert type(PLAIN.text) is type(str(PLAIN)) is str
    assert hash(PLAIN) == hash("3 lines")


def test_observation_has_its_text_as_its_only_part() -> None:
    """Unless it says more."""
    assert PLAIN.parts == (TextPart("3 lines"),)
    assert len(IMAGE.parts) == 2
    assert Observation().parts == (TextPart(""),)


@pytest.mark.parametrize("observation", [PLAIN, IMAGE, Observation()])
@pytest.mark.parametrize("travel", [copy.copy, copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))])
def test_observation_travels(observation: Observation, travel: object) -> None:
    """With everything it carries."""
    again = travel(observation)  # type: ignore[operator]
    assert type(again) is Observation
    assert (again, again.data, again.parts, again.is_error) == (
        observation,
        observation.data,
        observation.parts,
        observation.is_error,
    )


def test_observation_as_dict_is_json() -> None:
    """Images in base64, data as JSON values."""
    assert json.loads(json.dumps(PLAIN.to_dict()))["data"] == {"lines": 3, "path": "a"}
    assert IMAGE.to_dict() == {
        "text": "a cat",
        "data": None,
        "parts": [{"kind": "text", "text": "a cat"}, {"kind": "image", "mime": "image/png", "data": "iVBORw=="}],
        "is_error": True,
    }


def test_observation_with_undecodable_names_is_json() -> None:
    """A file name that is no UTF-8 comes as lone surrogates."""
    named = Observation("bad\udcff", data=Count(lines=1, path="bad\udcff"))
    assert json.loads(json.dumps(named.to_dict()))["data"]["path"] == "bad\udcff"


def test_observation_shows_what_it_is() -> None:
    """In a debugger."""
    assert repr(PLAIN) == "Observation('3 lines', data=Count)"
    assert repr(IMAGE) == "Observation('a cat', is_error=True)"
