"""A refusal in words: the docstring of a problem is its message, its class name is its code."""

from __future__ import annotations

import re
from typing import Any, ClassVar


class Problem(Exception):
    """The request was refused."""

    code: ClassVar[str] = "problem"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(
        self,
        detail: str = "",
        *,
        pointer: str = "",
        errors: tuple[dict[str, str], ...] = (),
        current: dict[str, Any] | None = None,
        retry_after: int | None = None,
    ) -> None:
        """`detail` adds to the title; `errors` are `{pointer, detail}`; `current` is the state
        that refused.
        """
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.errors = errors or (
            ({"pointer": pointer, "detail": self.detail},) if pointer else ()
        )
        self.current = current
        self.retry_after = retry_after

    @property
    def title(self) -> str:
        """The first sentence of the docstring, whole also where it was broken into lines."""
        return " ".join((type(self).__doc__ or "").split("\n\n")[0].split())

    def __str__(self) -> str:
        return self.detail
