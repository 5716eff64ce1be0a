"""Recent incidents are found without reading all of them."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("incidents", "0002_feedback")]

    operations = [
        AddIndexConcurrently(
            model_name="incident",
            index=models.Index(fields=["detected_at"], name="incident_by_detection"),
        ),
    ]
