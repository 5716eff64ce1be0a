"""The share ledger: rows that are only added, and the chain that seals them."""

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("sharing", "0001_initial"),
        ("tenancy", "0010_person_reference"),
    ]

    operations = [
        migrations.CreateModel(
            name="LedgerEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("at", models.DateTimeField()),
                ("day", models.DateField()),
                (
                    "reader_kind",
                    models.CharField(
                        choices=[
                            ("viewer", "Viewer"),
                            ("responder", "Responder"),
                            ("admin", "Admin"),
                            ("token", "Token"),
                            ("portal", "Portal"),
                        ],
                        max_length=10,
                    ),
                ),
                ("reader_label", models.CharField(max_length=120)),
                (
                    "channel",
                    models.CharField(
                        choices=[
                            ("page", "Page"),
                            ("rest", "Rest"),
                            ("export", "Export"),
                            ("stream", "Stream"),
                            ("email", "Email"),
                            ("webhook", "Webhook"),
                        ],
                        max_length=10,
                    ),
                ),
                ("subject_kind", models.CharField(max_length=20)),
                ("subject", models.CharField(max_length=60)),
                (
                    "ground_kind",
                    models.CharField(
                        choices=[
                            ("agreement", "Agreement"),
                            ("request", "Request"),
                            ("bundle", "Bundle"),
                        ],
                        max_length=10,
                    ),
                ),
                ("ground", models.CharField(max_length=20)),
                ("ground_version", models.PositiveIntegerField()),
                ("shown", models.JSONField()),
                ("count", models.PositiveIntegerField()),
                ("digest", models.BinaryField(max_length=32)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "reader",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="LedgerPoint",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sequence", models.BigIntegerField()),
                ("digest", models.BinaryField(max_length=32)),
                ("signature", models.CharField(max_length=100)),
                ("proven_at", models.DateTimeField()),
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
            name="LedgerSeal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sequence", models.BigIntegerField()),
                ("digest", models.BinaryField(max_length=32)),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="sharing.ledgerentry",
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
            model_name="ledgerentry",
            index=models.Index(fields=["organization", "-at", "-id"], name="ledger_by_time"),
        ),
        migrations.AddIndex(
            model_name="ledgerentry",
            index=models.Index(fields=["reader", "-at", "-id"], name="ledger_by_reader"),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.UniqueConstraint(
                fields=(
                    "organization",
                    "day",
                    "subject",
                    "reader",
                    "reader_label",
                    "channel",
                    "ground",
                    "ground_version",
                    "digest",
                ),
                name="ledger_entry_once_a_day",
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.UniqueConstraint(
                fields=("organization", "public_id"), name="ledger_entry_public_id_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerpoint",
            constraint=models.UniqueConstraint(fields=("organization",), name="ledger_point_once"),
        ),
        migrations.AddConstraint(
            model_name="ledgerseal",
            constraint=models.UniqueConstraint(
                fields=("organization", "sequence"), name="ledger_seal_sequence_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerseal",
            constraint=models.UniqueConstraint(
                fields=("organization", "entry"), name="ledger_seal_entry_once"
            ),
        ),
        isolation.isolate_addressed("sharing_ledgerentry", column="reader_id"),
        isolation.isolate("sharing_ledgerseal"),
        isolation.isolate("sharing_ledgerpoint"),
        isolation.append_only("sharing_ledgerentry"),
        isolation.append_only("sharing_ledgerseal"),
    ]
