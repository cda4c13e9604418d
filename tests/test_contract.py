"""What holds for every built-in tool, whichever it is: a forgotten file, word or number fails here by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import jsonschema
import pytest
import rootle
from rootle import limits
from rootle.framework import DIALECTS, Deferred, Tool, tool_schema
from rootle.framework.prompts import load_prompt
from rootle.framework.schema import subschemas
from rootle.tools import BUILTIN

PACKAGE = Path(rootle.__file__).parent
TESTS = Path(__file__).parent
NAMES = [tool.name for tool in BUILTIN]
EVERY = pytest.mark.parametrize("tool", BUILTIN, ids=lambda tool: tool.name)

# Other words for a parameter that has its one name already, in one vocabulary for all tools.
SYNONYMS = {"dir", "directory", "file_path", "filename", "filepath", "folder", "limit", "query", "regex", "timeout"}
NUMBERS = {value for name, value in vars(limits).items() if name.isupper() and isinstance(value, int | float)} | {0, 1}


def bounds(schema: dict[str, Any]) -> Iterator[float]:
    """Give the numbers that bound an argument, and the defaults."""
    for inner in subschemas(schema):
        for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "maxItems", "maxLength", "default"):
            value = inner.get(key)
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield value


def model_words(tool: Tool) -> str:
    """Give all that the prompt file says."""
    return "\n".join((tool.spec.description, *tool.spec.parameters.values()))


def known_words(tool: Tool) -> set[str]:
    """Give the names that a model can meet: parameters, choices, fields of results, tools."""
    words = {*NAMES, *tool.spec.names}
    for schema in (tool.spec.input_schema, tool.spec.output_schema or {}):
        for inner in subschemas(schema):
            words |= set(inner.get("properties", ())) | {str(value) for value in inner.get("enum", ())}
    return words


def test_every_tool_module_is_in_the_registry() -> None:
    """One module, one name, one place in the tuple."""
    modules = {path.stem for path in (PACKAGE / "tools").glob("*.py")} - {"__init__"}
    assert modules == set(NAMES)
    assert len(NAMES) == len(set(NAMES))


def test_every_prompt_file_is_a_tools() -> None:
    """None is left over, none is missing."""
    assert {path.stem for path in (PACKAGE / "prompts").glob("*.xml")} == set(NAMES)


@EVERY
def test_tool_has_its_files(tool: Tool) -> None:
    """Function, module, prompt and test have the tool's name."""
    assert tool.__wrapped__.__name__ == tool.name
    assert tool.__wrapped__.__module__ == f"rootle.tools.{tool.name}"
    assert (TESTS / "tools" / f"test_{tool.name}.py").is_file()


@EVERY
def test_every_parameter_has_its_words(tool: Tool) -> None:
    """In the prompt file, in full sentences."""
    prompt = load_prompt(PACKAGE / "prompts" / f"{tool.name}.xml", tool.name)
    assert list(prompt.parameters) == tool.spec.names
    assert prompt.description == tool.spec.description
    for words in (prompt.description, *prompt.parameters.values()):
        assert words[:1].isupper() or words.startswith("`"), words
        assert words.endswith("."), words


@EVERY
def test_every_name_in_the_words_exists(tool: Tool) -> None:
    """A word in snake_case is a parameter, a choice, a field of a result or a tool."""
    said = set(re.findall(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b", model_words(tool)))
    assert said <= known_words(tool)
    assigned = set(re.findall(r"\b(\w+)=", model_words(tool)))
    assert assigned <= known_words(tool)


@EVERY
def test_no_number_in_the_words_is_another_than_a_limit(tool: Tool) -> None:
    """Bounds are said by the generated line; 0 and 1 are no bounds."""
    said = re.findall(r"(?<![\w.-])\d[\d,_]*(?:\.\d+)?(?!\w)", model_words(tool))
    numbers = {float(number.replace(",", "").replace("_", "")) for number in said}
    assert numbers <= NUMBERS


@EVERY
def test_every_bound_is_a_limit(tool: Tool) -> None:
    """The numbers stand in `limits`."""
    assert set(bounds(tool.spec.input_schema)) <= NUMBERS


@EVERY
def test_defaults_are_allowed(tool: Tool) -> None:
    """By the schema, as another implementation reads it."""
    for name, schema in tool.spec.input_schema["properties"].items():
        if "default" in schema:
            jsonschema.validate(schema["default"], {**schema, "$defs": tool.spec.input_schema.get("$defs", {})})
        else:
            assert name in tool.spec.input_schema["required"]


@EVERY
def test_parameters_are_of_the_one_vocabulary(tool: Tool) -> None:
    """No synonyms; durations say their unit."""
    assert not SYNONYMS & set(tool.spec.names)
    assert not [name for name in tool.spec.names if "timeout" in name and not name.endswith("_s")]


@EVERY
@pytest.mark.parametrize("dialect", DIALECTS)
def test_tool_speaks_every_dialect(tool: Tool, dialect: str) -> None:
    """The strict one too."""
    assert tool_schema(tool.spec, dialect)["type" if "openai" in dialect else "name"] in ("function", tool.name)


@EVERY
def test_schemas_are_valid(tool: Tool) -> None:
    """Arguments and result, in Draft 2020-12."""
    assert tool.spec.output_schema is not None
    for schema in (tool.spec.input_schema, tool.spec.output_schema):
        jsonschema.Draft202012Validator.check_schema(schema)


@EVERY
def test_result_has_words(tool: Tool) -> None:
    """A model that can be rendered, or text made beforehand."""
    returns = get_type_hints(tool.__wrapped__)["return"]
    assert get_origin(returns) is Deferred or callable(getattr(tool.spec.output_model, "render", None))


@EVERY
def test_description_is_short_enough(tool: Tool) -> None:
    """With the generated line; some providers refuse a longer one."""
    assert len(tool.spec.text) <= limits.PROMPT_DESCRIPTION_CHARS
