"""The one thing a verification says when something does not hold."""

from __future__ import annotations


class Broken(Exception):
    """A chain, a checkpoint or a passport does not hold; the text says where."""
