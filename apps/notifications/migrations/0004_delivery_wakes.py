"""Say of each letter whether it may come in quiet hours; one of before may."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notices", "0003_seen_settled")]

    operations = [
        migrations.AddField(
            model_name="delivery",
            name="wakes",
            field=models.BooleanField(db_default=True, default=True),
        ),
    ]
