"""Who is awake is in no forecast, so its index holds only who sleeps, and no ids."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('descriptors', '0002_keys_by_bytes'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='sleeperrow',
            name='sleeper_forecast',
        ),
        migrations.AddIndex(
            model_name='sleeperrow',
            index=models.Index(condition=models.Q(('due_at_ms__isnull', False), ('stage', 'sleeping')), fields=['due_at_ms'], name='sleeper_forecast'),
        ),
    ]
