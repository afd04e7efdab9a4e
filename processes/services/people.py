"""People: added, given a role, given a new password. Three
roles, one place (architecture §1).
"""

from __future__ import annotations

import secrets

from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from dalhc.problems import Problem
from processes.journal import errors
from processes.services.actors import PRINCIPALS, REVIEWERS, Actor, require
from processes.services.keys import forget_everywhere
from processes.services.verb import Verb

ROLES = ("principal", "reviewer", "admin")


class InvalidPerson(Problem):
    """A person needs a new name, a role and a password that is hard to guess."""


@Verb
def add_person(username: str, role: str, password: str, *, by: Actor) -> User:
    """Principals decide, reviewers read, admins manage keys and people."""
    require(by, "admin")
    if role not in ROLES:
        raise InvalidPerson("The role is principal, reviewer or admin.", pointer="/role")
    if User.objects.filter(username__iexact=username).exists():
        raise InvalidPerson("Someone has this name already.", pointer="/username")
    _check_name(username)
    _check_password(password)
    user = User.objects.create_user(username, password=password)
    _give_role(user, role)
    return user


def _give_role(user: User, role: str) -> None:
    user.is_superuser = user.is_staff = role == "admin"
    user.save()
    groups = {"principal": PRINCIPALS, "reviewer": REVIEWERS}
    names = [groups[role]] if role in groups else []
    user.groups.set([Group.objects.get_or_create(name=name)[0] for name in names])


@Verb
def change_role(user_id: int, role: str, *, by: Actor) -> User:
    """The last admin stays one, or nobody could ever undo it."""
    require(by, "admin")
    user = _user(user_id)
    if role not in ROLES:
        raise InvalidPerson("The role is principal, reviewer or admin.", pointer="/role")
    _keep_an_admin(user, stays=role == "admin")
    _give_role(user, role)
    forget_everywhere()
    return user


@Verb
def reset_password(user_id: int, *, by: Actor) -> str:
    """A new password, shown once; whoever was logged in as this person is logged out."""
    require(by, "admin")
    user, password = _user(user_id), secrets.token_urlsafe(12)
    user.set_password(password)
    user.save()
    return password


@Verb
def set_active(user_id: int, active: bool, *, by: Actor) -> User:
    """A person who may not log in keeps their name in the history."""
    require(by, "admin")
    user = _user(user_id)
    if not active:
        _keep_an_admin(user, stays=False)
    user.is_active = active
    user.save()
    forget_everywhere()
    return user


def deciders() -> list[str]:
    """Who can decide, by name."""
    return list(
        User.objects.filter(is_active=True, groups__name=PRINCIPALS)
        .order_by("username")
        .values_list("username", flat=True)[:10]
    )


def _user(user_id: int) -> User:
    user = User.objects.filter(id=user_id).first()
    if user is None:
        raise errors.ProcessNotFound("There is no such person.")
    return user


def _keep_an_admin(user: User, *, stays: bool) -> None:
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(id=user.id)
    if user.is_superuser and not stays and not others.exists():
        raise InvalidPerson("The last admin stays an admin.", pointer="/role")


def _check_name(username: str) -> None:
    try:
        User._meta.get_field("username").clean(username, None)
    except ValidationError as problem:
        raise InvalidPerson(" ".join(problem.messages), pointer="/username") from None


def _check_password(password: str) -> None:
    try:
        validate_password(password)
    except ValidationError as problem:
        raise InvalidPerson(" ".join(problem.messages), pointer="/password") from None
