"""Evidence bundles: rows that are only added, and content that goes in its time."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0010_weight"),
        ("sharing", "0002_ledger"),
        ("tenancy", "0010_person_reference"),
    ]

    operations = [
        migrations.CreateModel(
            name="Bundle",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("incident_public_id", models.CharField(max_length=32)),
                (
                    "recipients",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), size=None
                    ),
                ),
                ("outside", models.CharField(blank=True, max_length=120)),
                ("purpose", models.CharField(blank=True, max_length=500)),
                ("manifest", models.JSONField()),
                ("digest", models.BinaryField(max_length=32)),
                ("size", models.PositiveIntegerField()),
                ("is_simulated", models.BooleanField(default=False)),
                ("made_by", models.CharField(max_length=150)),
                ("made_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                (
                    "agreement",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="sharing.agreement",
                    ),
                ),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="fleet.cluster",
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
            name="BundleAct",
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
                            ("sent", "Sent"),
                            ("opened", "Opened"),
                            ("downloaded", "Downloaded"),
                            ("revoked", "Revoked"),
                            ("expired", "Expired"),
                        ],
                        max_length=10,
                    ),
                ),
                ("by", models.CharField(max_length=150)),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("at", models.DateTimeField()),
                (
                    "bundle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="sharing.bundle",
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
            name="BundleContent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("body", models.BinaryField()),
                (
                    "bundle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="sharing.bundle",
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
            name="BundleOriginal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("body", models.BinaryField()),
                (
                    "bundle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="sharing.bundle",
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
            name="RecipientsKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("recipients", models.BinaryField(max_length=32)),
                ("secret", models.BinaryField()),
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
            model_name="bundle",
            index=models.Index(fields=["incident_public_id"], name="bundle_by_incident"),
        ),
        migrations.AddConstraint(
            model_name="bundle",
            constraint=models.UniqueConstraint(
                fields=("organization", "public_id"), name="bundle_public_id_once"
            ),
        ),
        migrations.AddIndex(
            model_name="bundleact",
            index=models.Index(fields=["counterpart", "bundle"], name="bundle_act_by_counterpart"),
        ),
        migrations.AddConstraint(
            model_name="bundleact",
            constraint=models.UniqueConstraint(
                fields=("organization", "bundle", "counterpart", "kind", "by"),
                name="bundle_act_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="bundlecontent",
            constraint=models.UniqueConstraint(
                fields=("organization", "bundle"), name="bundle_content_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="bundleoriginal",
            constraint=models.UniqueConstraint(
                fields=("organization", "bundle"), name="bundle_original_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="recipientskey",
            constraint=models.UniqueConstraint(
                fields=("organization", "cluster", "recipients"), name="recipients_key_once"
            ),
        ),
        isolation.isolate_addressed("sharing_bundleact", column="counterpart_id"),
        isolation.isolate_sent("sharing_bundle", act_table="sharing_bundleact", column="bundle_id"),
        isolation.isolate_sent(
            "sharing_bundlecontent",
            act_table="sharing_bundleact",
            column="bundle_id",
            key="bundle_id",
        ),
        isolation.isolate("sharing_bundleoriginal"),
        isolation.isolate("sharing_recipientskey"),
        isolation.append_only("sharing_bundle"),
        isolation.append_only("sharing_bundleact"),
    ]
