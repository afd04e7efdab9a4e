"""The browser is found, or its Debian package is named."""

from __future__ import annotations

import subprocess
import sys

from scripts import chromium


def test_the_browser_one_names_is_used(tmp_path, monkeypatch):
    mine = tmp_path / "mine"
    mine.touch(mode=0o755)
    monkeypatch.setenv("DALHC_CHROMIUM", str(mine))
    assert chromium.find() == str(mine)


def test_without_a_browser_the_debian_package_is_named(tmp_path):
    ran = subprocess.run(
        [sys.executable, chromium.__file__],
        env={"PATH": str(tmp_path), "DALHC_CHROMIUM": "/no/such/browser"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert "Debian's package `chromium`" in ran.stderr
