"""The journal's app."""

from __future__ import annotations

from django.apps import AppConfig


class ProcessesConfig(AppConfig):
    name = "processes"
