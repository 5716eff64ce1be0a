"""What parties of an incident ask each other for, in rows that are only added."""

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation

ADDRESSED = ("incidents_evidencerequest", "incidents_evidencerequestact")


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0019_steps"),
        ("tenancy", "0010_person_reference"),
    ]

    operations = [
        migrations.CreateModel(
            name="EvidenceRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("data", models.CharField(max_length=40)),
                (
                    "level",
                    models.CharField(
                        choices=[
                            ("none", "none"),
                            ("signal", "signal"),
                            ("redacted", "redacted"),
                            ("full", "full"),
                        ],
                        max_length=10,
                    ),
                ),
                ("host", models.CharField(blank=True, max_length=255)),
                ("starts_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                ("until", models.DateTimeField()),
                ("reason", models.CharField(max_length=500)),
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
                    "incident",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="incidents.incident",
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
            name="EvidenceRequestAct",
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
                            ("taken_back", "Taken Back"),
                            ("granted", "Granted"),
                            ("narrowed", "Narrowed"),
                            ("declined", "Declined"),
                            ("revoked", "Revoked"),
                        ],
                        max_length=10,
                    ),
                ),
                ("level", models.CharField(blank=True, max_length=10)),
                ("starts_at", models.DateTimeField(null=True)),
                ("ends_at", models.DateTimeField(null=True)),
                ("until", models.DateTimeField(null=True)),
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
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="incidents.evidencerequest",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="evidencerequest",
            index=models.Index(fields=["incident"], name="evidence_request_incident"),
        ),
        migrations.AddIndex(
            model_name="evidencerequest",
            index=models.Index(fields=["counterpart", "-at"], name="evidence_request_counterpart"),
        ),
        migrations.AddConstraint(
            model_name="evidencerequest",
            constraint=models.UniqueConstraint(
                fields=("organization", "public_id"), name="evidence_request_id_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="evidencerequestact",
            constraint=models.UniqueConstraint(
                fields=("organization", "request", "kind"), name="evidence_request_act_once"
            ),
        ),
        *(isolation.isolate_addressed(table, column="counterpart_id") for table in ADDRESSED),
        *(isolation.append_only(table) for table in ADDRESSED),
    ]
