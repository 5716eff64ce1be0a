"""Say of an attempt since when its diagnosis fails."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0005_authority"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="undiagnosed_at",
            field=models.DateTimeField(null=True),
        ),
    ]
