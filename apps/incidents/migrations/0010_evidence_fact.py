"""Evidence keeps in typed values what its line or measurement says; former rows have none."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("incidents", "0009_followers_culprits")]

    operations = [
        migrations.AddField(
            model_name="evidenceitem",
            name="fact",
            field=models.JSONField(default=None, null=True),
        ),
    ]
