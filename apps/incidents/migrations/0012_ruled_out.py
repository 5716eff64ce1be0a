"""Why an explanation fell is kept as a fact alone."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("incidents", "0011_facts")]

    operations = [
        migrations.RemoveField(model_name="hypothesis", name="ruled_out_because"),
    ]
