"""`Toolbox`: which tools it offers, how it calls them, how calls end."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import pytest
from rootle.contracts import Action, CallContext, Edit
from rootle.errors import (
    InvalidArgument,
    InvalidTool,
    RootleInternalError,
    ToolExecutionError,
    ToolRetryError,
    UnknownTool,
    UserAbortError,
)
from rootle.framework import base_tool
from rootle.git.policy import GitPolicy, policy_of
from rootle.toolbox import Toolbox

if TYPE_CHECKING:
    from rootle import AsyncWorkspace


class FakeWorkspace:
    """Stands for a workspace; the tools here want nothing of it but its name."""

    def __init__(self, inline: bool = False) -> None:
        self.inline = inline
        self.changed: list[str] = []
        self.after_edit: list[Any] = []


@base_tool(effect="read")
async def look(path: str = ".", *, workspace: AsyncWorkspace) -> str:
    """Look at a path."""
    return f"{path} in {type(workspace).__name__}"


@base_tool(effect="read", inline=True)
async def here() -> str:
    """Say which thread this is."""
    return threading.current_thread().name


@base_tool(effect="write")
async def change(path: str, existing: bool = True, *, context: CallContext) -> str:
    """Change a file."""
    await context.require(Action(tool="change", path=path, kind="edit", existing=existing))
    notices = await context.edited(Edit(path, b"1", b"2"))
    return "\n".join([f"changed {path}", *notices])


@base_tool
async def undeclared() -> str:
    """Do anything."""
    return ""


@base_tool(effect="write", open_world=True)
async def copy_in(url: str) -> str:
    """Write what comes from a network."""
    return url


@base_tool(effect="network")
async def fetch(url: str) -> str:
    """Fetch."""
    return url


@base_tool(effect="read")
async def wait(seconds: float = 60) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


@base_tool(effect="read")
async def fail() -> str:
    """Fail."""
    raise ValueError("broken")


ALL = (look, here, change, undeclared, copy_in, fetch, wait, fail)


def box(workspace: Any = None, **options: Any) -> Toolbox:
    """Make a toolbox of the tools above."""
    return Toolbox(cast("AsyncWorkspace", workspace or FakeWorkspace()), builtin=ALL, **options)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, "look here change undeclared wait fail"),
        ({"allow_web": True}, "look here change undeclared copy_in fetch wait fail"),
        ({"read_only": True}, "look here wait fail"),
        ({"read_only": True, "allow_web": True}, "look here fetch wait fail"),
    ],
)
def test_policy_decides_which_tools_are_offered(options: dict[str, Any], names: str) -> None:
    """Read-only leaves out what writes or runs, and what does not say."""
    made = box(**options)
    assert list(made.names) == names.split()
    assert [tool["name"] for tool in made.tools_for("anthropic")] == names.split()
    assert "look" in made
    assert ("change" in made) is not options.get("read_only", False)


@pytest.mark.parametrize(
    ("options", "name", "said"),
    [
        ({}, "loko", 'there is no tool "loko". Did you mean "look"? The tools are look, here'),
        ({}, "", 'there is no tool ""'),
        ({"read_only": True}, "change", '"change" is not available: the toolbox is read-only'),
        ({"read_only": True}, "undeclared", 'effect "run"'),
        ({}, "fetch", "no access to the network (allow_web=False)"),
        ({}, "copy_in", "no access to the network (allow_web=False)"),
        ({"read_only": True, "allow_web": True}, "copy_in", "the toolbox is read-only"),
    ],
)
def test_tool_that_is_not_offered_is_refused_with_the_reason(options: dict[str, Any], name: str, said: str) -> None:
    """And with near names where there is none; by every way to it."""
    made = box(**options)
    for ask in (made.call, made.spec, lambda name: asyncio.run(made.acall(name))):
        with pytest.raises(UnknownTool) as caught:
            ask(name)
        assert said in str(caught.value)
        assert isinstance(caught.value, ToolRetryError)


def test_tools_of_ones_own_join_the_others() -> None:
    """One of the same name takes the other's place; what is no tool is refused."""

    @base_tool(effect="read", name="look")
    async def other() -> str:
        return "mine"

    made = box(tools=[other])
    assert made.call("look") == "mine"
    assert set(made.names) == set(box().names)
    with pytest.raises(InvalidTool, match="is not a tool"):
        box(tools=[print])


def test_prompts_of_ones_own_are_this_toolboxs_only(tmp_path: Path) -> None:
    """Words, title and aliases; others are not touched."""
    (tmp_path / "look.xml").write_text(
        '<tool title="Peek"><description>Mine.</description><param name="path" aliases="where">P.</param></tool>'
    )
    for prompts in (tmp_path, str(tmp_path), [tmp_path / "none", tmp_path]):
        made = box(prompts=prompts)
        assert (made.spec("look").description, made.spec("look").title) == ("Mine.", "Peek")
        assert made.call("look", {"where": "x"}).startswith("x in")
    assert box().spec("look").description == "Look at a path."
    with pytest.raises(InvalidArgument):
        box().call("look", {"where": "x"})


def test_call_gives_the_tools_its_workspace() -> None:
    """And not the process-wide one."""
    assert box().call("look", {"path": "a"}) == "a in FakeWorkspace"
    assert box().call("look", '{"path": "a"}') == "a in FakeWorkspace"
    assert box().call("look") == ". in FakeWorkspace"


async def test_call_works_inside_a_running_loop() -> None:
    """As in a notebook."""
    assert box().call("look") == ". in FakeWorkspace"
    assert await box().acall("look") == ". in FakeWorkspace"


def test_call_raises_the_tools_errors() -> None:
    """In the caller's thread, with the way to them."""
    with pytest.raises(ToolExecutionError, match="fail failed: broken") as caught:
        box().call("fail")
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(InvalidArgument):
        box().call("look", {"pth": 1})


def test_calls_of_threads_do_not_wait_for_one_another() -> None:
    """One loop, many callers."""
    made = box()
    start = time.monotonic()
    threads = [threading.Thread(target=made.call, args=("wait", {"seconds": 0.2})) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.monotonic() - start < 1


def test_inline_tool_runs_where_it_is_waited_for() -> None:
    """On a workspace that allows it; elsewhere on the loop's thread."""
    assert box(FakeWorkspace(inline=True)).call("here") == threading.current_thread().name
    assert box(FakeWorkspace(inline=False)).call("here") == "rootle-loop"


async def test_inline_tool_leaves_a_running_loop_alone() -> None:
    """A caller's own loop is not the tool's."""
    assert box(FakeWorkspace(inline=True)).call("here") == "rootle-loop"


def test_inline_tool_that_waits_is_a_fault() -> None:
    """It was declared to wait for nothing."""

    @base_tool(effect="read", inline=True)
    async def liar() -> str:
        await Never()
        return ""

    class Never:
        def __await__(self) -> Any:
            yield self

    with pytest.raises(RootleInternalError, match="awaits more than its workspace"):
        box(FakeWorkspace(inline=True), tools=[liar]).call("liar")


def test_abort_signal_from_another_thread_reaches_the_tool() -> None:
    """Through the call's context."""

    @base_tool(effect="read")
    async def watch(*, context: CallContext) -> str:
        over = asyncio.Event()
        forget = context.on_abort(over.set)
        await over.wait()
        forget()
        return "partial"

    event = threading.Event()
    threading.Timer(0.1, event.set).start()
    start = time.monotonic()
    with pytest.raises(UserAbortError):
        box(tools=[watch]).call("watch", abort=event)
    assert time.monotonic() - start < 1


def test_progress_reaches_the_host() -> None:
    """From whichever thread the tool runs on."""
    seen: list[Any] = []

    @base_tool(effect="read")
    async def work(*, context: CallContext) -> str:
        context.report(1, 2, "half")
        return ""

    box(tools=[work]).call("work", progress=lambda *said: seen.append(said))
    assert seen == [(1, 2, "half")]


def test_changed_names_each_file_once_in_order() -> None:
    """It is the workspace's own list."""
    workspace = FakeWorkspace()
    made = box(workspace)
    for path in ["b.py", "a.py", "b.py"]:
        made.call("change", {"path": path})
    assert made.changed == ["b.py", "a.py"]
    assert workspace.changed is made.changed


def test_hooks_add_to_the_tools_text() -> None:
    """They are told after the edit."""

    async def check(edit: Edit) -> str:
        return f"{edit.path}: 1 problem"

    made = box()
    made.after_edit.append(check)
    assert made.call("change", {"path": "a.py"}) == "changed a.py\na.py: 1 problem"


def test_confirm_is_asked_and_its_refusal_is_a_result() -> None:
    """Only for what exists."""
    asked: list[str] = []

    def refuse(action: Action) -> bool:
        asked.append(str(action))
        return False

    made = box(confirm=refuse)
    refused = made.call("change", {"path": "a.py"})
    assert refused == "The user refused to let change edit a.py. Nothing was changed."
    assert refused.is_error
    assert made.call("change", {"path": "new.py", "existing": False}) == "changed new.py"
    assert (asked, made.changed) == (["edit a.py"], ["new.py"])


@pytest.fixture
def workspaces(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Stand in for the module of workspaces and give what is opened through it."""
    opened: list[Any] = []

    class AsyncWorkspace(FakeWorkspace):
        def __init__(self, on: Any) -> None:
            super().__init__()
            opened.append(on)

    monkeypatch.setitem(sys.modules, "rootle.workspace", ModuleType("rootle.workspace"))
    module = ModuleType("rootle.workspace.aio")
    monkeypatch.setattr(module, "AsyncWorkspace", AsyncWorkspace, raising=False)
    monkeypatch.setitem(sys.modules, "rootle.workspace.aio", module)
    monkeypatch.setattr("rootle.framework.injection._default", None)
    return opened


def test_root_may_be_a_path_or_a_workspace(workspaces: list[Any], tmp_path: Path) -> None:
    """A path is opened at once; a synchronous workspace is made awaitable."""
    synchronous = type("Workspace", (), {})()
    for root in (tmp_path, str(tmp_path), synchronous):
        Toolbox(root, builtin=ALL)
    assert workspaces == [tmp_path, str(tmp_path), synchronous]


async def test_tool_without_a_toolbox_works_on_the_current_directory(
    workspaces: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One workspace for the process, another after a change of directory."""
    monkeypatch.chdir(tmp_path)
    assert [await look("a"), await look("b")] == ["a in AsyncWorkspace", "b in AsyncWorkspace"]
    monkeypatch.chdir("/")
    await look()
    assert workspaces == [str(tmp_path), "/"]


def test_call_costs_little() -> None:
    """A bound far above what it takes, to see a model rebuilt or a module imported on each call."""
    made = box(FakeWorkspace(inline=True))
    made.call("here")
    start = time.perf_counter()
    for _ in range(200):
        made.call("here")
    assert (time.perf_counter() - start) / 200 < 0.001


def test_an_unknown_overwrite_is_refused(tmp_path: Path) -> None:
    """A word that is misspelled would otherwise mean the other choice."""
    with pytest.raises(InvalidArgument, match='"known" or "any"'):
        Toolbox(tmp_path, overwrite=cast("Any", "all"))
    assert Toolbox(tmp_path, overwrite="any").overwrite == "any"


def test_git_policy_is_the_workspaces() -> None:
    """Every tool on it finds it there."""
    policy = GitPolicy(any_owner=True)
    assert policy_of(Toolbox(".", git=policy).workspace) is policy
    assert not policy_of(Toolbox(".").workspace).any_owner
