"""Whether people can answer by a schema, asked before a question is kept."""

from __future__ import annotations

from processes.answering.fields import fields
from processes.answering.schema import Schema, stored


def admit(schema: Schema | None) -> None:
    """Raise InvalidResponseSchema unless people can answer by this schema. Its form is built
    here, so that whatever has none fails the one who asks and not everyone who looks.
    """
    if schema is not None:
        fields(stored(schema))
