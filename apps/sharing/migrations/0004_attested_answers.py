"""Attested answers, and the keys that organizations sign them with."""

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("sharing", "0003_evidence_bundles"),
        ("tenancy", "0010_person_reference"),
    ]

    operations = [
        migrations.CreateModel(
            name="SigningKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("fingerprint", models.CharField(max_length=64)),
                ("public_key", models.BinaryField(max_length=32)),
                ("made_by", models.CharField(max_length=150)),
                ("made_at", models.DateTimeField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SignedAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("request", models.CharField(max_length=20)),
                ("document", models.BinaryField()),
                ("signature", models.BinaryField(max_length=64)),
                ("made_by", models.CharField(max_length=150)),
                ("made_at", models.DateTimeField()),
                (
                    "counterpart",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="sharing.signingkey",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SigningSecret",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("secret", models.BinaryField()),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="sharing.signingkey",
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="signingkey",
            constraint=models.UniqueConstraint(
                fields=("organization", "fingerprint"), name="signing_key_once"
            ),
        ),
        migrations.AddIndex(
            model_name="signedanswer",
            index=models.Index(
                fields=["counterpart", "request"], name="signed_answer_by_counterpart"
            ),
        ),
        migrations.AddConstraint(
            model_name="signedanswer",
            constraint=models.UniqueConstraint(
                fields=("organization", "public_id"), name="signed_answer_public_id_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="signedanswer",
            constraint=models.UniqueConstraint(
                fields=("organization", "request"), name="signed_answer_once_a_request"
            ),
        ),
        migrations.AddConstraint(
            model_name="signingsecret",
            constraint=models.UniqueConstraint(
                fields=("organization",), name="signing_secret_once"
            ),
        ),
        isolation.isolate_named(
            "sharing_signingkey", by_table="sharing_signedanswer", column="key_id"
        ),
        isolation.isolate("sharing_signingsecret"),
        isolation.isolate_addressed("sharing_signedanswer", column="counterpart_id"),
        isolation.append_only("sharing_signingkey"),
        isolation.append_only("sharing_signedanswer"),
    ]
