"""One call of a tool: arguments in, Observation or one of rootle's errors out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from rootle import limits
from rootle.contracts import ActionRefused, CallContext, current_context
from rootle.errors import CommitIncomplete, DeadlineExceeded, RootleError, WriteUnsettled
from rootle.framework.arguments import validate_arguments
from rootle.framework.injection import injected_values
from rootle.framework.observation import Observation
from rootle.framework.output import Output
from rootle.framework.signature import ToolSignature
from rootle.framework.spec import ToolSpec

__all__ = ["Invocation"]


class Invocation:
    """Calls a tool's function under the error contract.

    rootle's own errors pass, anything else is mapped; the cancellation of the task passes; a set abort signal is
    UserAbortError, whatever the function made of it, unless it came too late: what has written a file gives its result,
    and errors tell what was written before them.
    """

    __slots__ = ("_fields", "_function", "_output", "_signature", "_translate", "spec")

    def __init__(
        self,
        function: Callable[..., Coroutine[Any, Any, Any]],
        spec: ToolSpec,
        signature: ToolSignature,
        output: Output,
        translate: Callable[[BaseException, Mapping[str, object]], RootleError],
    ) -> None:
        self.spec = spec
        self._function = function
        self._signature = signature
        self._fields = tuple(signature.fields.items())
        self._output = output
        self._translate = translate

    def for_spec(self, spec: ToolSpec) -> Invocation:
        """Give the same call under another spec, which may accept other aliases."""
        return Invocation(self._function, spec, self._signature, self._output, self._translate)

    async def __call__(
        self,
        arguments: object = None,
        *,
        context: CallContext | None = None,
        workspace: Any = None,
        injected: Mapping[str, Any] | None = None,
    ) -> Observation:
        """Call the tool.

        Args:
            arguments: A mapping, or a JSON object as text.
            context: The call's own; the current one by default.
            workspace: For the parameters that want one; the process-wide one by default.
            injected: Values for injected parameters by name, before all others.
        """
        context = context or current_context() or CallContext()
        context.check()
        model = validate_arguments(self.spec.input_model, arguments, self.spec.aliases)
        values = {name: getattr(model, field) for name, field in self._fields}
        with context.active():
            try:
                extra = injected_values(self._signature.injected, injected or {}, context, workspace)
                for value in extra.values():
                    if (ready := getattr(value, "ready", None)) is not None and not value.inline:
                        await ready()
                result = await self._bounded(self._function(**values, **extra), context)
                observation = self._output.observation(result)
            except ActionRefused as refused:
                return Observation(str(refused), is_error=True)
            except (Exception, SystemExit) as error:
                if context.aborted and not isinstance(error, WriteUnsettled | CommitIncomplete):
                    raise context.aborted_error() from error
                if isinstance(error, DeadlineExceeded) and (context.written or context.remaining_s() == 0):
                    raise context.out_of_time(error) from error
                mapped = self._translate(error, values)
                if mapped is error:
                    raise
                raise mapped from error
        if context.aborted and not context.written:
            raise context.aborted_error()
        return observation

    async def _bounded(self, call: Coroutine[Any, Any, Any], context: CallContext) -> Any:
        """End a tool that does not keep its deadline itself; it has had time to hand over a partial result."""
        left = context.remaining_s()
        if left is None or context.inline:
            return await call
        try:
            # A writing that is under way is waited for; what the tool does after it has a limit too.
            async with (
                asyncio.timeout(left + 2 * limits.DEADLINE_GRACE_S) as last,
                asyncio.timeout(left + limits.DEADLINE_GRACE_S) as bound,
            ):
                context.bound = bound
                return await call
        except TimeoutError as error:
            if (bound.expired() or last.expired()) and not isinstance(error, DeadlineExceeded):
                raise context.out_of_time() from None
            raise
