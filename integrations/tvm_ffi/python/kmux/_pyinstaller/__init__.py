"""What PyInstaller needs to know of kmux. It finds this folder by the entry point `pyinstaller40` of the wheel."""

from __future__ import annotations

import pathlib


def hook_dirs() -> list[str]:
    """The folders with hooks."""
    return [str(pathlib.Path(__file__).parent)]
