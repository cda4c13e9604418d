"""An HTTP server for a sandbox, on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from rootle.contracts import SandboxClient
from rootle.sandbox import HttpStreamSandbox

TOKEN = "0123456789abcdef"


@asynccontextmanager
async def served(client: SandboxClient) -> AsyncIterator[HttpStreamSandbox]:
    """Serve a sandbox, and give a client of the server."""
    pytest.importorskip("h11")
    pytest.importorskip("httpx2")
    from rootle.sandbox.http_server import serve

    async with serve(client, TOKEN) as address:
        box = HttpStreamSandbox(address, TOKEN)
        try:
            yield box
        finally:
            await box.aclose()
