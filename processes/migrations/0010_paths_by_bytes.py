"""The files of a folder are a range of their paths' codes; a language's order has other ranges.
SQLite compares bytes as it is.
"""

from typing import Any

from django.db import migrations

AS_BYTES = 'ALTER TABLE processes_journalfile ALTER COLUMN id TYPE text COLLATE "C"'
AS_TEXT = 'ALTER TABLE processes_journalfile ALTER COLUMN id TYPE text COLLATE "default"'


def compare_bytes(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(AS_BYTES)


def compare_text(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(AS_TEXT)


class Migration(migrations.Migration):

    dependencies = [
        ('processes', '0009_search'),
    ]

    operations = [
        migrations.RunPython(compare_bytes, compare_text),
    ]
