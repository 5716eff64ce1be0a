"""What an organization was told of how people work on an incident together."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notices", "0008_failure")]

    operations = [
        migrations.AddField(
            model_name="incidentcursor",
            name="seen_steps",
            field=models.PositiveIntegerField(db_default=0, default=0),
        )
    ]
