"""People are named in records by a reference that counts nobody."""

from django.db import migrations, models

import apps.tenancy.models

FILL = """
    UPDATE tenancy_user
    SET reference = 'p' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 12)
    WHERE reference IS NULL
"""


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0009_closed_paths")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="reference",
            field=models.CharField(max_length=20, null=True),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="user",
            name="reference",
            field=models.CharField(
                default=apps.tenancy.models.new_reference, max_length=20, unique=True
            ),
        ),
    ]
