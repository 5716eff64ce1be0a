"""Give audit entries their place in a chain. Nothing wrote entries before."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="auditentry",
            name="sequence",
            field=models.BigIntegerField(default=0),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="auditentry",
            name="digest",
            field=models.BinaryField(default=b"", max_length=32),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name="auditentry",
            constraint=models.UniqueConstraint(
                fields=("organization", "sequence"), name="audit_sequence_once"
            ),
        ),
    ]
