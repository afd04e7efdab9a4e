"""Sleeping agents: an app with room, empty until its own capability is built."""

from __future__ import annotations

from django.apps import AppConfig


class DescriptorsConfig(AppConfig):
    name = "descriptors"
