"""Which tools a Toolbox offers, and why it leaves the others out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rootle.errors import InvalidTool
from rootle.framework import Invocation, ToolSpec, is_tool
from rootle.framework.prompts import find_prompt

__all__ = ["Policy", "bind"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What the tools of one Toolbox may do."""

    read_only: bool = False
    allow_web: bool = False

    def refusal(self, spec: ToolSpec) -> str | None:
        """Give the reason for which a tool is left out; None when it is offered."""
        if self.read_only and not spec.read_only:
            return f'the toolbox is read-only and the tool does not declare that it only reads (effect "{spec.effect}")'
        if spec.networked and not self.allow_web:
            return "the toolbox has no access to the network (allow_web=False)"
        return None


def bind(tools: Iterable[object], policy: Policy, prompts: list[str]) -> tuple[dict[str, Invocation], dict[str, str]]:
    """Give the tools that are offered by name, in the words of `prompts`, and the reason for each that is left out.

    A later tool takes the place of an earlier one of the same name.
    """
    offered: dict[str, Invocation] = {}
    left_out: dict[str, str] = {}
    for tool in tools:
        if not is_tool(tool):
            raise InvalidTool.of(
                f"{tool!r} is not a tool", hint="Decorate its function with rootle.base_tool or rootle.file_tool."
            )
        offered.pop(tool.name, None)
        left_out.pop(tool.name, None)
        if reason := policy.refusal(tool.spec):
            left_out[tool.name] = reason
            continue
        prompt = find_prompt(tool.name, folders=prompts)
        invoke = tool.invoke
        offered[tool.name] = invoke if prompt is None else invoke.for_spec(tool.spec.with_prompt(prompt))
    return offered, left_out
