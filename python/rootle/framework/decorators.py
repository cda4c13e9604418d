"""`base_tool` and `file_tool`: from an async function to a tool.

    >>> import asyncio
    >>> @base_tool(effect="read")
    ... async def add(left: int, right: int = 1) -> str:
    ...     "Add two numbers."
    ...     return str(left + right)
    >>> add.name, add.spec.read_only
    ('add', True)
    >>> asyncio.run(add(left="2"))
    Observation('3')

A tool is still an async function: it is awaited with its parameters, and gives an Observation. What its function raises
comes out as one of rootle's errors. A plain function is refused: it would hold up every other call of the loop.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Protocol, TypeAlias, TypeGuard, cast, overload

from rootle.errors import InvalidArgument, InvalidTool, RootleError
from rootle.framework.invoke import Invocation
from rootle.framework.mapping import file_error, path_argument, tool_error
from rootle.framework.observation import Observation
from rootle.framework.output import Output
from rootle.framework.prompts import find_prompt, prompt_of_docstring
from rootle.framework.signature import ToolSignature, read_signature
from rootle.framework.spec import Effect, ToolSpec

__all__ = ["Tool", "base_tool", "file_tool", "is_tool"]

AsyncFunction: TypeAlias = Callable[..., Coroutine[Any, Any, Any]]


class Tool(Protocol):
    """A decorated function.

    Attributes:
        spec: What is known of it.
        invoke: Calls it with a mapping of arguments, as a Toolbox does.
    """

    __name__: str
    __wrapped__: AsyncFunction
    name: str
    spec: ToolSpec
    invoke: Invocation

    async def __call__(self, *args: Any, **kwargs: Any) -> Observation:
        """Call it with its parameters; an injected one may be given by name."""
        ...


@overload
def base_tool(function: AsyncFunction, /) -> Tool: ...
@overload
def base_tool(
    *,
    name: str | None = None,
    title: str | None = None,
    effect: Effect = "run",
    aliases: Mapping[str, str] | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    inline: bool = False,
) -> Callable[[AsyncFunction], Tool]: ...
def base_tool(function: AsyncFunction | None = None, /, **options: Any) -> Tool | Callable[[AsyncFunction], Tool]:
    """Make an async function a tool.

    Args:
        function: The function, when the decorator is used bare.
        **options: As below, by name.

    Options:
        name: The tool's name; the function's own by default.
        title: The name that people see.
        effect: What it does: "read", "write", "run" or "network". Without it a tool may do anything ("run"), and a
            read-only Toolbox leaves it out.
        aliases: Parameter by other names under which it is accepted.
        destructive: Whether a call can lose something; by default a tool that writes or runs can.
        idempotent: Whether a second equal call changes nothing more; by default only a tool that reads.
        open_world: Whether it reaches beyond the root; by default a tool that runs or uses the network.
        inline: It awaits nothing but its workspace: `Toolbox.call` may then run it in the calling thread, without the
            two changes of thread that a loop costs.

    Raises:
        InvalidTool: When the function cannot be a tool, with the parameter and the reason.
        InvalidPrompt: When its prompt file cannot be used.
    """
    return _decorator(function, options, _base_error, sys._getframe(1).f_locals)


@overload
def file_tool(function: AsyncFunction, /) -> Tool: ...
@overload
def file_tool(
    *,
    name: str | None = None,
    title: str | None = None,
    effect: Effect = "run",
    aliases: Mapping[str, str] | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    inline: bool = False,
) -> Callable[[AsyncFunction], Tool]: ...
def file_tool(function: AsyncFunction | None = None, /, **options: Any) -> Tool | Callable[[AsyncFunction], Tool]:
    """Make an async function on a file a tool: `base_tool`, and the errors of file operations mapped.

    FileNotFoundError becomes PathNotFound, which the model can mend; PermissionError, UnicodeDecodeError and any other
    OSError become a FileOperationError with the operation "access", "decode" or "read/write".
    """
    return _decorator(function, options, _file_error, sys._getframe(1).f_locals)


def is_tool(value: object) -> TypeGuard[Tool]:
    """Tell whether `value` was made by one of the decorators."""
    return callable(value) and isinstance(getattr(value, "spec", None), ToolSpec)


def _base_error(tool: str, error: BaseException, _arguments: Mapping[str, object]) -> RootleError:
    return tool_error(tool, error)


def _file_error(tool: str, error: BaseException, arguments: Mapping[str, object]) -> RootleError:
    return file_error(tool, error, path_argument(arguments))


def _decorator(
    function: AsyncFunction | None,
    options: dict[str, Any],
    translate: Callable[[str, BaseException, Mapping[str, object]], RootleError],
    local_names: Mapping[str, Any],
) -> Tool | Callable[[AsyncFunction], Tool]:
    def decorate(function: AsyncFunction) -> Tool:
        return _make(function, translate, local_names, **options)

    return decorate if function is None else decorate(function)


def _make(
    function: AsyncFunction,
    translate: Callable[[str, BaseException, Mapping[str, object]], RootleError],
    local_names: Mapping[str, Any],
    *,
    name: str | None = None,
    **facts: Any,
) -> Tool:
    name = name or str(getattr(function, "__name__", type(function).__name__))
    if not inspect.iscoroutinefunction(function):
        raise InvalidTool.of(
            f'tool "{name}" is not an async function',
            name=name,
            hint="Declare it with async def, and await asyncio.to_thread(...) for work that blocks.",
        )
    signature = read_signature(function, name, local_names)
    output = Output(signature.returns, name)
    spec = _spec(function, name, signature, output, **facts)
    invoke = Invocation(function, spec, signature, output, functools.partial(translate, name))

    @functools.wraps(function)
    async def tool(*args: Any, **kwargs: Any) -> Observation:
        injected = {key: kwargs.pop(key) for key in signature.injected if key in kwargs}
        return await invoke(_by_name(signature.public, args, kwargs), injected=injected)

    made = cast("Any", tool)
    made.__doc__ = spec.description
    made.__signature__ = signature.public.replace(return_annotation=Observation)
    made.name, made.spec, made.invoke = name, spec, invoke
    return cast("Tool", made)


def _spec(
    function: AsyncFunction,
    name: str,
    signature: ToolSignature,
    output: Output,
    *,
    title: str | None = None,
    effect: Effect = "run",
    aliases: Mapping[str, str] | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    inline: bool = False,
) -> ToolSpec:
    if effect not in ("read", "write", "run", "network"):
        raise InvalidTool.of(f'tool "{name}": unknown effect "{effect}"', name=name)
    changes = effect in ("write", "run")
    spec = ToolSpec(
        name=name,
        title=title or name.replace("_", " ").capitalize(),
        description="",
        effect=effect,
        input_model=signature.model,
        output_model=output.model,
        parameters={},
        aliases=dict(aliases or {}),
        destructive=changes if destructive is None else destructive,
        idempotent=not changes if idempotent is None else idempotent,
        open_world=effect in ("run", "network") if open_world is None else open_world,
        inline=inline,
    )
    for alias, parameter in spec.aliases.items():
        if parameter not in spec.names or alias in spec.names:
            raise InvalidTool.of(f'tool "{name}": alias "{alias}" of "{parameter}" fits no parameter', name=alias)
    module = getattr(function, "__module__", "") or ""
    prompt = find_prompt(name, builtin=module.startswith("rootle.tools."))
    return spec.with_prompt(prompt_of_docstring(function, spec.names) if prompt is None else prompt)


def _by_name(public: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Give positional arguments their names."""
    if not args:
        return kwargs
    names = [p.name for p in public.parameters.values() if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    if len(args) > len(names):
        raise InvalidArgument.of(f"at most {len(names)} positional arguments are taken, not {len(args)}", name="args")
    given = dict(zip(names, args, strict=False))
    if twice := given.keys() & kwargs.keys():
        raise InvalidArgument.of(f'parameter "{min(twice)}" is given twice', name=min(twice))
    return {**given, **kwargs}
