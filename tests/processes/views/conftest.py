"""People before a browser without scripts: Django's own client, logged in."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client


def logged_in(name: str, group: str = "", **fields: bool) -> Client:
    user = User.objects.create_user(name, **fields)
    if group:
        user.groups.add(Group.objects.get_or_create(name=group)[0])
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def principal(db: None) -> Client:
    return logged_in("principal", "principals")


@pytest.fixture
def ana(db: None) -> Client:
    """Another principal."""
    return logged_in("ana", "principals")


@pytest.fixture
def reviewer(db: None) -> Client:
    return logged_in("reviewer", "reviewers")


@pytest.fixture
def admin(db: None) -> Client:
    """Manages, and may not decide."""
    return logged_in("admin", is_superuser=True)
