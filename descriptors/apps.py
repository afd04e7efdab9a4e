"""Sleeping agents: an app with room, empty until its own capability is built."""

from django.apps import AppConfig


class DescriptorsConfig(AppConfig):
    name = "descriptors"
