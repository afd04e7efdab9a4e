"""What the surroundings say: every environment variable dalhc reads, with its default."""

from __future__ import annotations

import os
import secrets
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from dalhc import folders
from dalhc.db import postgres

type Holdable = Literal["step_budget", "wall_clock", "guard", "unverified"]


class Environment(BaseSettings):
    """Read once at start; a wrong value is refused with the variable's name."""

    # An address can hold a password, so a refused value is not shown.
    model_config = SettingsConfigDict(extra="ignore", hide_input_in_errors=True)

    home: Path = Field(default=Path(".dalhc"), validation_alias="DALHC_HOME")
    database_url: str = Field(default="", validation_alias="DATABASE_URL", repr=False)
    port: int = Field(default=8000, ge=1, le=65535, validation_alias="PORT")
    bind: str = Field(default="127.0.0.1", validation_alias="DALHC_BIND")
    debug: bool = Field(default=False, validation_alias="DALHC_DEBUG")
    demo: bool = Field(default=True, validation_alias="DALHC_DEMO")
    https: bool = Field(default=False, validation_alias="DALHC_HTTPS")
    hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=("127.0.0.1", "localhost", "[::1]"), validation_alias="DALHC_HOSTS"
    )
    held_reasons: Annotated[tuple[Holdable, ...], NoDecode] = Field(
        default=("guard", "unverified"), validation_alias="DALHC_HELD_REASONS"
    )
    four_eyes: Annotated[tuple[Holdable, ...], NoDecode] = Field(
        default=(), validation_alias="DALHC_FOUR_EYES"
    )
    two_approvals: Annotated[tuple[Holdable, ...], NoDecode] = Field(
        default=(), validation_alias="DALHC_TWO_APPROVALS"
    )
    decider_groups: Annotated[dict[str, str], NoDecode] = Field(
        default_factory=dict, validation_alias="DALHC_DECIDER_GROUPS"
    )
    open_per_agent: int = Field(default=1000, ge=1, validation_alias="DALHC_OPEN_PER_AGENT")
    webhook_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), validation_alias="DALHC_WEBHOOK_HOSTS"
    )
    webhook_private: bool = Field(default=False, validation_alias="DALHC_WEBHOOK_PRIVATE")
    smtp: str = Field(default="", validation_alias="DALHC_SMTP", repr=False)
    mail_from: str = Field(default="dalhc@localhost", validation_alias="DALHC_MAIL_FROM")
    url: str = Field(default="", validation_alias="DALHC_URL")
    persist: str = Field(default="1", validation_alias="DAL_AGENT_RUNTIME_PERSIST")
    process_root: str = Field(default="", validation_alias="DAL_PROCESS_ROOT")
    rate: int = Field(default=5000, ge=0, validation_alias="DALHC_RATE")
    artifacts_mib: int = Field(default=0, ge=0, validation_alias="DALHC_ARTIFACTS_MIB")
    artifacts_mib_per_process: int = Field(
        default=1024, ge=0, validation_alias="DALHC_ARTIFACTS_MIB_PER_PROCESS"
    )
    log_requests: Literal["all", "refused", "none"] = Field(
        default="refused", validation_alias="DALHC_LOG_REQUESTS"
    )
    delivery_delay_s: int = Field(
        default=0, ge=0, le=3600, validation_alias="DALHC_DELIVERY_DELAY"
    )
    max_waiters: int = Field(default=2000, ge=1, validation_alias="DALHC_MAX_WAITERS")

    @field_validator("decider_groups", mode="before")
    @classmethod
    def _pairs(cls, value: object) -> object:
        """`guard=security,unverified=finance`."""
        if not isinstance(value, str):
            return value
        parts = (part.partition("=") for part in value.split(",") if part.strip())
        return {reason.strip(): group.strip() for reason, _, group in parts}

    @field_validator("decider_groups")
    @classmethod
    def _known_reasons(cls, value: dict[str, str]) -> dict[str, str]:
        reasons = {"ask_user", "step_budget", "wall_clock", "guard", "unverified"}
        if not value.keys() <= reasons or not all(value.values()):
            raise ValueError(f"name a group per reason: {', '.join(sorted(reasons))}")
        return value

    @field_validator(
        "hosts", "held_reasons", "four_eyes", "two_approvals", "webhook_hosts", mode="before"
    )
    @classmethod
    def _commas(cls, value: object) -> object:
        return (
            tuple(part.strip() for part in value.split(",") if part.strip())
            if isinstance(value, str)
            else value
        )

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        whole = parts.scheme in {"http", "https"} and parts.hostname
        if value and (not whole or parts.query or parts.fragment):
            raise ValueError("a whole address, as in https://desk.example.com/dalhc")
        return value

    @field_validator("database_url")
    @classmethod
    def _readable(cls, value: str) -> str:
        if value:
            postgres.parts(value)
        return value

    @cached_property
    def data_dir(self) -> Path:
        """The folder of everything kept, made private to its owner (0700)."""
        folder = self.home.expanduser().absolute()
        folders.make(folder)
        return folder

    @property
    def public_url(self) -> str:
        """Where people reach this server, for links in notices; no slash at its end."""
        return self.url.rstrip("/") or f"http://127.0.0.1:{self.port}"

    @property
    def prefix(self) -> str:
        """`/dalhc` where a proxy serves people at `https://desk.example.com/dalhc/` and passes
        on what follows; empty at the root of a host (cases B14).
        """
        return urlsplit(self.public_url).path

    @property
    def is_durable(self) -> bool:
        """False when the host switched durable processes off (S0:57, contract F04-F06)."""
        return self.persist.strip().lower() not in {"0", "false"}

    @cached_property
    def watched_root(self) -> Path | None:
        """The folder of a DAL runtime's journals, resolved once (contract §4): the one that is
        named, or `.dal/processes` where there is one. None without either, or switched off.
        """
        named, default = self.process_root.strip(), Path(".dal/processes")
        if not self.is_durable or not (named or default.is_dir()):
            return None
        return Path(named or default).expanduser().absolute()

    def secret_key(self) -> str:
        """Made once, kept beside the data, readable by its owner alone."""
        path = self.data_dir / "secret.key"
        if not path.exists():
            _make_secret(path)
        return path.read_text().strip()


def _make_secret(path: Path) -> None:
    """Whole or not at all, and the first of two servers makes it."""
    part = path.with_suffix(f".{secrets.token_hex(4)}")
    try:
        with open(part, "x", opener=_private) as file:
            file.write(secrets.token_urlsafe(48))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(part, path)
        except FileExistsError:
            pass
        except OSError:  # a disk without hard links
            part.rename(path)
    finally:
        part.unlink(missing_ok=True)
    folders.flush(path.parent)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
