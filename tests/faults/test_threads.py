"""Many threads, many event loops and other interpreters at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import Child

FILES: dict[str, Any] = {
    **{f"d{index % 7}/f{index}.py": f"needle {index}\nother\n" for index in range(60)},
    ".gitignore": "*.log\n",
    "x.log": "needle\n",
}


def everything_at_once(root: str, seconds: float) -> list[Any]:
    """Call every operation from eight threads on one toolbox and compare each answer with the first."""
    import asyncio
    import threading
    import time

    import rootle
    from rootle import Toolbox, _core
    from rootle.errors import RootleError

    box = Toolbox(root)
    workspace = rootle.Workspace(root)

    def code_of(operation: Any) -> str:
        try:
            operation()
        except RootleError as error:
            return error.code
        return "none"

    operations: list[Any] = [
        lambda: box.call("grep", {"pattern": "needle"}).text,
        lambda: box.call("grep", {"pattern": r"(?<=nee)dle (\d)\1"}).text,
        lambda: box.call("glob", {"pattern": "**/*.py", "sort": "path"}).text,
        lambda: box.call("list_dir", {}).text,
        lambda: box.call("read_file", {"path": ["d0/f0.py", "d1/f1.py"], "max_lines": 1}).data.files[0].lines[0].text,
        lambda: workspace.grep("needle", threads=3, sort="modified").total,
        lambda: workspace.walk(stat=True, threads=3).paths,
        lambda: rootle.glob("*.py", root, sort="path").paths,
        lambda: [entry.path for entry in rootle.list_dir(root, depth=2).entries],
        lambda: rootle.read(f"{root}/d0/f0.py").hash,
        lambda: asyncio.run(box.acall("grep", {"pattern": "needle 1"})).text,
        lambda: workspace.stat("d0").kind + workspace.relative(f"{root}/d0/f0.py"),
        lambda: code_of(lambda: box.call("read_file", {"path": "../x"})),
        lambda: code_of(_core._provoke_panic),
    ]
    expected = [operation() for operation in operations]
    wrong: list[Any] = []
    rounds = [0] * 8
    end = time.monotonic() + seconds

    def work(number: int) -> None:
        while time.monotonic() < end and not wrong:
            for offset in range(len(operations)):
                index = (offset * (number + 1) + number) % len(operations)
                try:
                    answer = operations[index]()
                except BaseException as error:
                    answer = repr(error)
                if answer != expected[index]:
                    wrong.append([index, str(answer)[:300], str(expected[index])[:300]])
            rounds[number] += 1

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 10)
    return [wrong, rounds, [thread.is_alive() for thread in threads].count(True)]


def test_eight_threads_and_every_operation(tree: Tree, child: Child) -> None:
    """Every operation gives from eight threads at once what it gives alone; nothing hangs."""
    (wrong, rounds, hung), growth = child(everything_at_once, tree(FILES), 2.5)
    assert wrong == []
    assert hung == 0
    assert min(rounds) >= 1
    assert growth < 128 * 1024 * 1024


def search_while_logging(root: str) -> list[Any]:
    """Search from eight threads with every logger at its loudest and a handler that itself searches."""
    import logging
    import threading

    import rootle
    from rootle import Toolbox

    box = Toolbox(root)

    class Searching(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if not record.name.startswith("rootle"):
                rootle.grep("needle 1", root, max_matches=1)

    logging.basicConfig(level=logging.DEBUG, handlers=[Searching()])
    totals: list[int] = []

    def work() -> None:
        for index in range(15):
            logging.getLogger("host").debug("search %s", index)
            totals.append(box.call("grep", {"pattern": "needle"}).data.total)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(15)
    return [[thread.is_alive() for thread in threads].count(True), sorted(set(totals)), len(totals)]


def test_logging_during_searches(tree: Tree, child: Child) -> None:
    """A handler that holds its lock and calls rootle meets no lock of rootle's (vorner/pyo3-log#65)."""
    (hung, totals, count), _ = child(search_while_logging, tree(FILES), timeout_s=30)
    assert (hung, totals, count) == (0, [60], 120)


def in_subinterpreter(root: str) -> list[Any]:
    """Import and search in another interpreter of this process, then in this one."""
    import sys

    import rootle

    script = f"""
import sys
sys.path[:] = {sys.path!r}
try:
    import rootle
    outcome = "total %d" % rootle.grep("needle", {root!r}).total
except ImportError:
    outcome = "ImportError"
open({root!r} + "/outcome.log", "w").write(outcome)
"""
    if sys.version_info >= (3, 14):
        from concurrent import interpreters

        interpreters.create().exec(script)
    else:
        module = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
        low = __import__(module)
        low.run_string(low.create(), script)
    with open(f"{root}/outcome.log", encoding="ascii") as file:
        return [file.read(), rootle.grep("needle", root).total]


def test_subinterpreter(tree: Tree, child: Child) -> None:
    """Importing in a subinterpreter works or is refused; the process lives and the first interpreter goes on."""
    (outcome, total), _ = child(in_subinterpreter, tree(FILES))
    assert outcome in ("ImportError", "total 60")
    assert total == 60
