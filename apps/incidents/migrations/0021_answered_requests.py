"""A request for evidence may be answered by a signed statement."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0020_evidence_requests"),
    ]

    operations = [
        migrations.AlterField(
            model_name="evidencerequestact",
            name="kind",
            field=models.CharField(
                choices=[
                    ("taken_back", "Taken Back"),
                    ("granted", "Granted"),
                    ("narrowed", "Narrowed"),
                    ("declined", "Declined"),
                    ("revoked", "Revoked"),
                    ("answered", "Answered"),
                ],
                max_length=10,
            ),
        ),
    ]
