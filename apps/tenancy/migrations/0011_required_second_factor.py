"""Whether an organization lets its members in with a second factor only."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0010_person_reference")]

    operations = [
        migrations.AddField(
            model_name="organization",
            name="requires_second_factor",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
