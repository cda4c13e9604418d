"""The build backend: maturin's, with the helper executable built first, so that every wheel carries it."""

from __future__ import annotations

from typing import Any

import helper
import maturin
from maturin import (
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def build_wheel(directory: str, settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build the wheel in `directory` and give its name."""
    helper.build()
    return str(maturin.build_wheel(directory, settings, metadata_directory))


def build_editable(directory: str, settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build the wheel of an editable installation in `directory` and give its name."""
    helper.build()
    return str(maturin.build_editable(directory, settings, metadata_directory))
