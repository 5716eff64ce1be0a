"""Agreements between two organizations of a cluster, in rows that are only added."""

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation

ADDRESSED = ("sharing_agreement", "sharing_agreementversion", "sharing_agreementact")


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("fleet", "0010_weight"),
        ("tenancy", "0010_person_reference"),
    ]

    operations = [
        migrations.CreateModel(
            name="Agreement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("created_at", models.DateTimeField()),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="fleet.cluster",
                    ),
                ),
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
            ],
        ),
        migrations.CreateModel(
            name="AgreementVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("preset", models.CharField(blank=True, max_length=40)),
                ("terms", models.JSONField()),
                ("note", models.CharField(blank=True, max_length=500)),
                ("until", models.DateTimeField(null=True)),
                ("digest", models.BinaryField(max_length=32)),
                ("proposed_by", models.CharField(max_length=150)),
                ("proposed_at", models.DateTimeField()),
                ("lapses_at", models.DateTimeField()),
                (
                    "agreement",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="sharing.agreement",
                    ),
                ),
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
            ],
        ),
        migrations.CreateModel(
            name="AgreementAct",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("signed", "Signed"),
                            ("declined", "Declined"),
                            ("taken_back", "Taken Back"),
                            ("revoked", "Revoked"),
                        ],
                        max_length=10,
                    ),
                ),
                ("digest", models.BinaryField(max_length=32)),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("by", models.CharField(max_length=150)),
                ("at", models.DateTimeField()),
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
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="sharing.agreementversion",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PseudonymKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("secret", models.BinaryField()),
                ("created_at", models.DateTimeField()),
                (
                    "agreement",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="sharing.agreement",
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
        migrations.AddIndex(
            model_name="agreement",
            index=models.Index(fields=["counterpart"], name="agreement_by_counterpart"),
        ),
        migrations.AddConstraint(
            model_name="agreement",
            constraint=models.UniqueConstraint(
                fields=("organization", "cluster", "counterpart"), name="agreement_once_a_pair"
            ),
        ),
        migrations.AddConstraint(
            model_name="agreement",
            constraint=models.UniqueConstraint(
                fields=("organization", "public_id"), name="agreement_public_id_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="agreementversion",
            constraint=models.UniqueConstraint(
                fields=("organization", "agreement", "number"),
                name="agreement_version_number_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="agreementact",
            constraint=models.UniqueConstraint(
                fields=("organization", "version", "kind"), name="agreement_act_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="pseudonymkey",
            constraint=models.UniqueConstraint(
                fields=("organization", "agreement"), name="pseudonym_key_once"
            ),
        ),
        *(isolation.isolate_addressed(table, column="counterpart_id") for table in ADDRESSED),
        *(isolation.append_only(table) for table in ADDRESSED),
        isolation.isolate("sharing_pseudonymkey"),
    ]
