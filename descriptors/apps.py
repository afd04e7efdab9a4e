"""Sleeping agents: descriptors, wakes and the cycle between them."""

from __future__ import annotations

from django.apps import AppConfig


class DescriptorsConfig(AppConfig):
    name = "descriptors"

    def ready(self) -> None:
        from descriptors.management.demo import put_to_sleep
        from descriptors.receivers import on_settled, on_settling
        from processes.services import demo_told, settled, settling

        settling.connect(on_settling, dispatch_uid="descriptors")
        settled.connect(on_settled, dispatch_uid="descriptors")
        demo_told.connect(put_to_sleep, dispatch_uid="descriptors")
