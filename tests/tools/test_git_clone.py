"""The `git_clone` tool by its words; what it does on the wire is tested under `tests/git`."""

from __future__ import annotations

from pathlib import Path

import pytest
from rootle import Toolbox
from rootle.errors import AddressRefused, InvalidArgument, RootleError, UnknownTool


def test_it_needs_the_network_and_writes() -> None:
    """Neither a read-only toolbox nor one without the network has it."""
    assert "git_clone" in Toolbox(".", allow_web=True)
    with pytest.raises(UnknownTool, match="allow_web=False"):
        Toolbox(".").spec("git_clone")
    with pytest.raises(UnknownTool, match="read-only"):
        Toolbox(".", allow_web=True, read_only=True).spec("git_clone")
    spec = Toolbox(".", allow_web=True).spec("git_clone")
    assert (spec.read_only, spec.destructive, spec.open_world, spec.idempotent) == (False, False, True, False)


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/x",
        "https://169.254.169.254/x.git",
        "https://0x7f.1/x",
        "https://2130706433/x",
        "https://localhost/x",
        "https://[::1]/x",
        "https://[::ffff:7f00:1]/x",
        "https://me:s3cr3t@10.0.0.1/x",
        "https://1.1.1.1:6379/x",
    ],
)
def test_an_address_that_is_not_public_is_refused(tmp_path: Path, url: str) -> None:
    """By the guard of the web tools (case 111)."""
    with pytest.raises(AddressRefused) as refused:
        Toolbox(tmp_path, allow_web=True).call("git_clone", {"url": url})
    assert "s3cr3t" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["url", "repo", "repo_url"])
def test_names_that_models_use(tmp_path: Path, name: str) -> None:
    with pytest.raises(AddressRefused):
        Toolbox(tmp_path, allow_web=True).call("git_clone", {name: "https://127.0.0.1/x"})


@pytest.mark.parametrize("arguments", [{"depth": 0}, {"depth": -1}, {"branch": "--upload-pack=x"}, {"branch": ""}])
def test_arguments_that_cannot_be(tmp_path: Path, arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidArgument):
        Toolbox(tmp_path, allow_web=True).call("git_clone", {"url": "https://127.0.0.1/x", **arguments})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url", ["https://127.0.0.1/", "https://127.0.0.1/.git", "https://127.0.0.1/a/..", "https://127.0.0.1"]
)
def test_a_url_without_a_name_needs_a_destination(tmp_path: Path, url: str) -> None:
    with pytest.raises(RootleError, match="give dest"):
        Toolbox(tmp_path, allow_web=True).call("git_clone", {"url": url})


@pytest.mark.parametrize(
    "arguments",
    [
        {"url": ["https://me:s3cr3t@10.0.0.1/x"]},
        {"url": {"a": "https://me:s3cr3t@10.0.0.1/x"}},
        {"urls": "https://me:s3cr3t@10.0.0.1/x"},
        {"url": "http://me:s3cr3t@10.0.0.1/x"},
        {"url": "http://10.0.0.1/x?token=s3cr3t"},
        {"url": "https://10.0.0.1/x?token=s3cr3t"},
        {"url": "https://me:s3cr3t@10.0.0.1:x/x"},
        {"url": "https://s3cr3t@10.0.0.1/x"},
        {"url": "https://me:s3cr3t@a@10.0.0.1/x"},
        {"url": "me:s3cr3t@10.0.0.1:x/y"},
        {"url": "me:s3cr3t@10.0.0.1"},
        {"url": "s3cr3t@10.0.0.1:x/y"},
        {"url": "ssh://me:s3cr3t@10.0.0.1/x"},
        {"url": "https://me:s3cr3t%00@10.0.0.1/x"},
    ],
)
def test_no_refusal_repeats_a_password(tmp_path: Path, arguments: dict[str, object]) -> None:
    """Whatever is wrong with the call (case 114)."""
    with pytest.raises(RootleError) as refused:
        Toolbox(tmp_path, allow_web=True).call("git_clone", arguments)
    assert "s3cr3t" not in f"{refused.value} {refused.value.details} {refused.value.suggestions}"
