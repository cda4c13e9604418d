"""Which client the commands of a workspace's tools run on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rootle import Toolbox
from rootle.sandbox import LocalSandbox, client_of
from rootle.workspace import Workspace
from rootle.workspace.aio import AsyncWorkspace


def test_a_local_directory_gets_one_client(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(lambda _: id(client_of(workspace)), range(32)))
    client = client_of(AsyncWorkspace(workspace))
    assert found == {id(client)}
    assert isinstance(client, LocalSandbox)
    assert client.root == workspace.root


def test_a_client_of_the_toolbox_is_taken(tmp_path: Path) -> None:
    given = LocalSandbox(tmp_path, tier="pid_namespace")
    assert client_of(Toolbox(tmp_path, sandbox=given).workspace) is given
