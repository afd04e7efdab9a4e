"""Tiny packages for the set-up to install, so that its tests need no network."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def pin(folder: Path, name: str, script: str = "") -> str:
    """Put a wheel of `name`, with the program `script`, into `folder`; its line in a lock."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    about = f"{name}-1.0.dist-info"
    files = {
        f"{name}_module.py": "",
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{about}/WHEEL": WHEEL,
    }
    if script:
        files[f"{name}-1.0.data/scripts/{name}"] = script
    files[f"{about}/RECORD"] = "".join(f"{file},,\n" for file in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in files.items():
            entry = zipfile.ZipInfo(file)
            entry.external_attr = 0o100755 << 16  # pip asks for a plain, runnable file
            wheel.writestr(entry, text)
    return f"{name}==1.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"
