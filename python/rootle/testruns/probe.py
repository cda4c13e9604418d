"""What a directory holds that tells how its tests are run, found out with one command through a sandbox's client."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from rootle import limits
from rootle.contracts import SandboxClient

__all__ = ["Facts", "look"]

# Each line that it prints starts with a word that the tree cannot know. It uses what every POSIX shell has.
_SCRIPT = r"""
n=$1; want_python=$2; shift 2
say() { printf '%s %s\n' "$n" "$*"; }
has() { [ -e "$1" ] && say has "$1"; }
fact() { grep -qsE "$2" "$1" && say fact "$3"; }
first() { for f in "$@"; do [ -e "$f" ] && { say fact "$want"; return; }; done; }
say pwd "$PWD"
d=$(umask 077; mktemp -d "${TMPDIR:-/tmp}/rootle-tests.XXXXXXXXXXXXXXXX" 2>/dev/null) && say temp "$d"
for f in pytest.ini .pytest.ini pytest.toml .pytest.toml conftest.py package.json Cargo.toml go.mod pyproject.toml \
    .config/nextest.toml; do has "$f"; done
fact pyproject.toml '^\[tool\.pytest' pytest-config
fact tox.ini '^\[pytest\]' pytest-config
fact setup.cfg '^\[tool:pytest\]' pytest-config
fact pyproject.toml '["'"'"'](pytest)([]<>=~!;,[ "'"'"']|$)' pytest-dependency
want=python-tests
first test_*.py *_test.py tests/conftest.py tests/test_*.py tests/*_test.py tests/*/test_*.py test/test_*.py \
    test/*_test.py src/*/tests/test_*.py */tests/test_*.py
for up in . "$@"; do
  for f in uv.lock poetry.lock pdm.lock Pipfile.lock package-lock.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb \
      node_modules; do [ -e "$up/$f" ] && say up "$f"; done
  for v in .venv venv; do
    [ -x "$up/$v/bin/python" ] || continue
    say venv "$up/$v"
    for p in "$up/$v"/lib/python*/site-packages/pytest; do [ -d "$p" ] && say pytest "$up/$v"; done
  done
  for b in jest vitest; do [ -e "$up/node_modules/.bin/$b" ] && say bin "$b"; done
done
for t in python3 python pytest uv poetry pdm pipenv npm pnpm yarn bun npx go cargo cargo-nextest; do
  command -v "$t" >/dev/null 2>&1 && say tool "$t"
done
if [ -n "$want_python" ]; then
  for t in python3 python; do
    command -v "$t" >/dev/null 2>&1 || continue
    "$t" -I -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("pytest"))' >/dev/null 2>&1 || continue
    say imports "$t"
  done
fi
[ -f go.mod ] && sed -n 's/^module[ \t]*\([^ \t]*\).*/\1/p' go.mod | head -n 1 | { read -r m && say module "$m"; }
for f in */pytest.ini */pyproject.toml */package.json */Cargo.toml */go.mod; do has "$f"; done
if [ -f package.json ]; then say text; head -c 200000 package.json; echo; say end; fi
"""
_TEMP = re.compile(r"/[^\n]*/rootle-tests\.[A-Za-z0-9]{16}$")


@dataclass(slots=True)
class Facts:
    """What was found.

    Attributes:
        directory: The absolute path, as the sandbox names it.
        temp: A new directory outside of the tree that nobody else can enter; None when none could be made.
        names: Files that are there, also one level down (`app/package.json`).
        facts: "pytest-config", "pytest-dependency", "python-tests".
        above: Lock files and `node_modules` here or above, up to the root.
        venvs: Virtual environments here or above, the nearest first; `with_pytest` those that have pytest.
        programs: Of packages in `node_modules`.
        tools: Programs on the PATH.
        imports: Pythons on the PATH that have pytest.
        module: The path of the Go module.
        scripts: Of the package.json.
        dependencies: Names of packages that it asks for.
    """

    directory: str = ""
    temp: str | None = None
    names: list[str] = field(default_factory=list)
    facts: set[str] = field(default_factory=set)
    above: list[str] = field(default_factory=list)
    venvs: list[str] = field(default_factory=list)
    with_pytest: list[str] = field(default_factory=list)
    programs: set[str] = field(default_factory=set)
    tools: set[str] = field(default_factory=set)
    imports: list[str] = field(default_factory=list)
    module: str | None = None
    scripts: dict[str, str] = field(default_factory=dict)
    dependencies: set[str] = field(default_factory=set)


async def look(client: SandboxClient, cwd: str, above: Sequence[str], *, pythons: bool) -> Facts:
    """Look at a directory.

    Args:
        client: Where.
        cwd: The directory, relative to the client's own.
        above: The directories between it and the root, as paths like "..", the nearest first.
        pythons: Find out which Pythons on the PATH have pytest, which takes some 20 ms each.

    Raises:
        PathNotFound, NotADirectory: When it is none.
    """
    nonce = secrets.token_hex(16)
    done = await client.exec(
        ["sh", "-c", _SCRIPT, "sh", nonce, "1" if pythons else "", *above],
        cwd=cwd,
        timeout_s=limits.TESTS_PROBE_TIMEOUT_S,
        max_output_bytes=limits.TESTS_PROBE_BYTES,
    )
    return _facts(done.stdout.decode("utf-8", "surrogateescape"), nonce)


def _facts(printed: str, nonce: str) -> Facts:
    facts = Facts()
    lists = {"has": facts.names, "up": facts.above, "venv": facts.venvs, "imports": facts.imports}
    sets = {"fact": facts.facts, "bin": facts.programs, "tool": facts.tools}
    text, _, rest = printed.partition(f"{nonce} text\n")
    for line in text.split("\n"):
        if not line.startswith(nonce + " "):
            continue
        word, _, value = line[len(nonce) + 1 :].partition(" ")
        if word == "pwd":
            facts.directory = value
        elif word == "module":
            facts.module = value
        elif word == "temp" and _TEMP.match(value):
            facts.temp = value
        elif word == "pytest" and value not in facts.with_pytest:
            facts.with_pytest.append(value)
        elif word in lists:
            lists[word].append(value)
        elif word in sets:
            sets[word].add(value)
    _read_package(facts, rest.partition(f"\n{nonce} end")[0])
    return facts


def _read_package(facts: Facts, text: str) -> None:
    try:
        package = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return
    if not isinstance(package, dict):
        return
    scripts = package.get("scripts")
    if isinstance(scripts, dict):
        facts.scripts = {str(name): value for name, value in scripts.items() if isinstance(value, str)}
    for key in ("dependencies", "devDependencies"):
        if isinstance(package.get(key), dict):
            facts.dependencies |= set(map(str, package[key]))
    if isinstance(package.get("jest"), dict):
        facts.dependencies.add("jest")
