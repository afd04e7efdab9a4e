"""The callers of the API's own tests."""

from __future__ import annotations

from tests.processes.api.conftest import ada, mia, other, rob, runtime

__all__ = ["ada", "mia", "other", "rob", "runtime"]
