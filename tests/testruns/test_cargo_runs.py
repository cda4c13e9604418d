"""Real runs of cargo test and cargo nextest: targets added up, builds that fail, processes that die."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.testruns.conftest import counts, told

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Tree
    from tests.testruns.conftest import Call

pytestmark = pytest.mark.timeout(180)

FORGED = "test result: ok. 999 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
LIBRARY = f"""\
//! ```
//! assert_eq!(demo::one(), 1);
//! ```

/// ```
/// assert_eq!(demo::one(), 2);
/// ```
pub fn one() -> i32 {{
    1
}}

#[cfg(test)]
mod tests {{
    #[test]
    fn works() {{}}
    #[test]
    fn fails() {{
        println!("{FORGED}");
        assert_eq!(super::one(), 2, "no");
    }}
    #[test]
    #[ignore = "later"]
    fn ignored() {{}}
    #[test]
    #[should_panic]
    fn panics() {{
        panic!("as it should")
    }}
    #[test]
    fn gives_an_error() -> Result<(), String> {{
        Err("bad".into())
    }}
}}
"""
MANIFEST = '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n\n[workspace]\n'
FILES = {
    "Cargo.toml": MANIFEST,
    "src/lib.rs": LIBRARY,
    "src/bin/tool.rs": "fn main() {}\n\n#[test]\nfn in_program() {}\n",
    "tests/it.rs": "#[test]\nfn meets() {\n    assert_eq!(demo::one(), 1);\n}\n",
}


@pytest.fixture
def run(run: Call, cargo_target: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call the tool, with cargo's network shut off and what it builds in a directory of its own."""
    for name in ("RUSTFLAGS", "RUST_BACKTRACE", "RUSTC_WRAPPER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "CARGO_TARGET_DIR": str(cargo_target),
        "CARGO_NET_OFFLINE": "true",
        "CARGO_PROFILE_DEV_DEBUG": "0",
    }.items():
        monkeypatch.setenv(name, value)
    return run


def test_targets_are_added_up(tree: Tree, run: Call) -> None:
    """Library, program, integration and documentation tests, though the first of them fails."""
    root = tree(FILES)
    data = run(root)
    assert (data.status, data.source, data.runner, data.exit_code) == ("failed", "text", "cargo", 101)
    assert data.command == "cargo test --no-fail-fast"
    assert counts(data) == {"passed": 5, "failed": 3, "skipped": 1}
    places = told(data)
    assert places["tests::fails"] == (
        "src/lib.rs",
        LIBRARY.splitlines().index('        assert_eq!(super::one(), 2, "no");') + 1,
    )
    assert places.keys() == {"tests::fails", "tests::gives_an_error", "src/lib.rs - one (line 5)"}
    messages = {failure.name: failure.message for failure in data.failures}
    assert messages["tests::gives_an_error"] == 'Error: "bad"'
    assert messages["tests::fails"].startswith("assertion `left == right` failed: no")
    assert "Output, the end of it:" in data.render() or "Output:" in data.render()

    coloured = run(root, command="cargo test --no-fail-fast --color always -- --color always --nocapture 2>&1")
    assert (coloured.status, counts(coloured)) == ("failed", counts(data))
    assert told(coloured).keys() == places.keys()

    stopped = run(root, command="cargo test")
    assert (stopped.status, counts(stopped)) == ("failed", {"passed": 2, "failed": 2, "skipped": 1})
    assert any("--no-fail-fast" in note for note in stopped.notes)

    chosen = run(root, paths=["tests/it.rs"], filter="meet")
    assert (chosen.status, chosen.command, counts(chosen)) == (
        "passed",
        "cargo test --no-fail-fast --test it meet",
        {"passed": 1},
    )
    nothing = run(root, filter="no_such_test")
    assert (nothing.status, counts(nothing), nothing.passed) == ("no_tests", {}, None)


def test_build_that_fails(tree: Tree, run: Call) -> None:
    """The compiler's first error with its place; nothing is counted."""
    data = run(tree({"Cargo.toml": MANIFEST, "src/lib.rs": '#[test]\nfn a() {\n    let x: u8 = "";\n}\n'}))
    assert (data.status, data.source, counts(data)) == ("build_failed", "text", {"errors": 1})
    (failure,) = data.failures
    assert (failure.name, failure.file, failure.line, failure.kind) == ("demo (lib test)", "src/lib.rs", 3, "error")
    assert "mismatched types" in failure.message


def test_manifest_that_is_none(tree: Tree, run: Call) -> None:
    """No build was tried."""
    data = run(tree({"Cargo.toml": "[package\n"}))
    assert (data.status, counts(data)) == ("build_failed", {})


def test_test_that_kills_the_process(tree: Tree, run: Call) -> None:
    """Its target has no summary and no count; the other targets have theirs."""
    files = {
        "Cargo.toml": MANIFEST,
        "src/lib.rs": "#[test]\nfn a() {}\n#[test]\nfn dies() { std::process::abort() }\n",
        "tests/it.rs": "#[test]\nfn meets() {}\n",
    }
    root = tree(files)
    data = run(root)
    assert (data.status, data.complete, data.passed, data.failed) == ("failed", False, 1, 0)
    assert any("without its summary" in note for note in data.notes)
    (root / "src/lib.rs").write_text("#[test]\nfn leaves() { std::process::exit(0) }\n")
    data = run(root, command="cargo test --lib")
    assert (data.status, data.exit_code, counts(data), data.passed) == ("failed", 0, {}, None)


def test_flood_of_output(tree: Tree, run: Call) -> None:
    """50 MB between the targets' summaries cost no count."""
    files = {
        "Cargo.toml": MANIFEST,
        "src/lib.rs": '#[test]\nfn a() {\n    for _ in 0..500_000 { println!("{:99}", 1) }\n    panic!("end")\n}\n',
        "tests/it.rs": "#[test]\nfn meets() {}\n",
    }
    data = run(tree(files))
    assert (data.status, counts(data), data.complete) == ("failed", {"passed": 1, "failed": 1}, True)


def test_nextest(tree: Tree, run: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its JUnit report, which a configuration of rootle's asks for, beside the project's own."""
    if shutil.which("cargo-nextest") is None:
        pytest.skip("cargo-nextest is not there")
    root = tree({**FILES, ".config/nextest.toml": "[profile.default]\nfail-fast = true\n"})
    data = run(root)
    assert (data.status, data.source, data.runner) == ("failed", "report", "nextest")
    assert counts(data) == {"passed": 4, "failed": 2, "skipped": 1}
    assert told(data)["tests::fails"] == (
        "src/lib.rs",
        LIBRARY.splitlines().index('        assert_eq!(super::one(), 2, "no");') + 1,
    )
    passed = run(root, command="cargo nextest run --test it")
    assert (passed.status, passed.source, counts(passed)) == ("passed", "report", {"passed": 1})
    nothing = run(root, filter="no_such_test")
    assert (nothing.status, counts(nothing), nothing.passed) == ("no_tests", {"skipped": 7}, None)
    missing = run(root, env=["PATH=/usr/bin:/bin"], runner="nextest")
    assert missing.status == "runner_missing"
