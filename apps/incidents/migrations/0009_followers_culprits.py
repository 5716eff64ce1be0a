"""Stops of other culprits are one line for who does not see them; until now none were."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("incidents", "0008_party_moment")]

    operations = [
        migrations.AddField(
            model_name="incident",
            name="has_followers_culprits",
            field=models.BooleanField(db_default=True, default=True),
        ),
    ]
