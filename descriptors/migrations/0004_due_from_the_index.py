"""What is due is found without reading a row of those that are."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('descriptors', '0003_forecast_of_who_sleeps'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='sleeperrow',
            name='sleeper_due',
        ),
        migrations.AddIndex(
            model_name='sleeperrow',
            index=models.Index(condition=models.Q(('due_at_ms__isnull', False)), fields=['agent', 'due_at_ms', 'preset', 'session_id'], name='sleeper_due'),
        ),
    ]
