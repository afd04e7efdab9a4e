"""Why the agent did not begin."""

from __future__ import annotations


class CannotStart(Exception):
    """One sentence for whoever typed the command."""
