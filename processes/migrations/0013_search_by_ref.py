from typing import Any

from django.db import migrations

INDEX = (
    "CREATE INDEX processes_search_suspension ON processes_search (ref) "
    "WHERE kind = 'suspension'"
)


def make(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor != "sqlite":
        schema_editor.execute(INDEX)


def drop(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor != "sqlite":
        schema_editor.execute("DROP INDEX processes_search_suspension")


class Migration(migrations.Migration):

    dependencies = [
        ('processes', '0012_journal_place'),
    ]

    operations = [
        migrations.RunPython(make, drop),
    ]
