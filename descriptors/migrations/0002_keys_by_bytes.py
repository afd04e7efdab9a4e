"""A key's prefix is a range of its characters' codes; a language's order has other ranges.
SQLite compares bytes as it is.
"""

from typing import Any

from django.db import migrations

AS_BYTES = 'ALTER TABLE descriptors_condition ALTER COLUMN key TYPE varchar(200) COLLATE "C"'
AS_TEXT = 'ALTER TABLE descriptors_condition ALTER COLUMN key TYPE varchar(200) COLLATE "default"'


def compare_bytes(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(AS_BYTES)


def compare_text(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(AS_TEXT)


class Migration(migrations.Migration):

    dependencies = [
        ('descriptors', '0001_initial'),
    ]

    operations = [
        migrations.RunPython(compare_bytes, compare_text),
    ]
