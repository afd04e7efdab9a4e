"""What a person wrote, as the browser sent it or as a draft kept it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from processes.models import Draft


class Typed(dict[str, str]):
    """The fields of a form, each with its last value; `lists` has all of them."""

    def __init__(self, lists: Mapping[str, Sequence[str]] | None = None) -> None:
        self.lists = {name: [*values] for name, values in (lists or {}).items()}
        super().__init__({name: values[-1] for name, values in self.lists.items() if values})


def drafts(found: Sequence[Draft]) -> dict[str, Typed]:
    """Drafts by the decision they were meant for."""
    return {one.action: Typed(json.loads(one.content)) for one in found}
