"""The machine and the versions that a table was measured with."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numpy", "scipy", "mpmath", "jitcdde", "ddeint", "lmfit", "torch", "trl")


def processor() -> str:
    """The name of the processor."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """The installed packages among those that matter, with their versions."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> str:
    """One line on the machine."""
    packages = ", ".join(f"{name} {number}" for name, number in versions().items())
    return f"{processor()}, {os.cpu_count()} cores; Python {platform.python_version()}, {packages}."
