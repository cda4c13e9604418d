"""From async functions to tools: decorators, schemas, argument validation, prompts and Observations."""

from rootle.framework import prompts
from rootle.framework.decorators import Tool, base_tool, file_tool, is_tool
from rootle.framework.deferred import Deferred
from rootle.framework.dialects import DIALECTS, tool_schema
from rootle.framework.invoke import Invocation
from rootle.framework.observation import Observation
from rootle.framework.spec import Effect, ToolSpec

__all__ = [
    "DIALECTS",
    "Deferred",
    "Effect",
    "Invocation",
    "Observation",
    "Tool",
    "ToolSpec",
    "base_tool",
    "file_tool",
    "is_tool",
    "prompts",
    "tool_schema",
]
