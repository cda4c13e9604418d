"""`ToolSpec`: everything that is known of a tool, from which every schema and description is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

from pydantic import BaseModel

from rootle.errors import InvalidPrompt
from rootle.framework.arguments import near_names
from rootle.framework.prompts import Prompt
from rootle.framework.schema import Schema, limits_line, model_schema

__all__ = ["Effect", "ToolSpec"]

Effect: TypeAlias = Literal["read", "write", "run", "network"]
"""What a tool does to the world: it looks at files, changes files, runs commands or programs, or reads from a network.

A tool that writes what comes from a network, or to one, has the effect "write" and `open_world`."""


@dataclass(frozen=True, eq=False)
class ToolSpec:
    """One tool.

    Attributes:
        title: For people, where they pick a tool from a list.
        description: For the model, without the "Limits:" line.
        parameters: The model-facing words by parameter.
        aliases: Parameter by other names that are accepted for it.
        input_model: The arguments; `extra="forbid"`.
        output_model: The data of the result; None when the tool gives text alone.
        destructive: Whether a call can lose something.
        idempotent: Whether a second equal call changes nothing more.
        open_world: Whether it reaches beyond the root.
        inline: Whether it awaits nothing but its workspace, and so can run without an event loop.
    """

    name: str
    title: str
    description: str
    effect: Effect
    input_model: type[BaseModel]
    output_model: type[BaseModel] | None
    parameters: Mapping[str, str]
    aliases: Mapping[str, str]
    destructive: bool
    idempotent: bool
    open_world: bool
    inline: bool = False

    @property
    def names(self) -> list[str]:
        """The parameters, in the order of the signature."""
        return [info.alias or field for field, info in self.input_model.model_fields.items()]

    @property
    def read_only(self) -> bool:
        """Whether a call leaves everything as it was."""
        return self.effect in ("read", "network")

    @property
    def networked(self) -> bool:
        """Whether a call reaches a network; what commands do is not known."""
        return self.effect == "network" or (self.effect == "write" and self.open_world)

    @cached_property
    def input_schema(self) -> Schema:
        """The JSON Schema of the arguments, with the model-facing words."""
        return model_schema(self.input_model, self.parameters)

    @cached_property
    def output_schema(self) -> Schema | None:
        """The JSON Schema of the result's data; None when the tool gives text alone."""
        return None if self.output_model is None else model_schema(self.output_model, mode="serialization")

    @cached_property
    def limits(self) -> str:
        """The bounds of the parameters in words; empty without any."""
        return limits_line(self.input_schema)

    @property
    def text(self) -> str:
        """The description with the "Limits:" line: what a model reads."""
        return "\n\n".join(part for part in (self.description, self.limits) if part)

    def with_prompt(self, prompt: Prompt) -> ToolSpec:
        """Give the same tool in other words; raises InvalidPrompt when they speak of parameters that it has not."""
        known = self.names
        for name in (*prompt.parameters, *prompt.aliases.values()):
            if name not in known:
                raise InvalidPrompt.of(
                    f'prompt file "{prompt.source}": tool "{self.name}" has no parameter "{name}"',
                    path=str(prompt.source),
                    suggestions=near_names(name, known),
                )
        if clash := prompt.aliases.keys() & set(known):
            raise InvalidPrompt.of(
                f'prompt file "{prompt.source}": alias "{min(clash)}" is a parameter of "{self.name}"',
                path=str(prompt.source),
            )
        return replace(
            self,
            title=prompt.title or self.title,
            description=prompt.description,
            parameters={**self.parameters, **prompt.parameters},
            aliases={**self.aliases, **prompt.aliases},
        )
