"""Evidence keeps the fact that its text says; former rows have their words alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("incidents", "0013_moments")]

    operations = [
        migrations.AddField(
            model_name="evidenceitem",
            name="statement",
            field=models.JSONField(default=None, null=True),
        ),
    ]
