"""First tables, closed in PostgreSQL as they are made."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenancy", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Cluster",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("name", models.CharField(max_length=120)),
                ("is_simulated", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Node",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=253)),
                (
                    "aliases",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=253), default=list, size=None
                    ),
                ),
                ("zone", models.CharField(blank=True, max_length=64)),
                ("first_seen_at", models.DateTimeField()),
                ("last_seen_at", models.DateTimeField()),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
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
            options={
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["aliases"], name="node_aliases"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "cluster", "name"), name="node_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Device",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=16)),
                ("name", models.CharField(blank=True, max_length=120)),
                ("index", models.IntegerField(null=True)),
                ("uuid", models.CharField(blank=True, max_length=64)),
                ("pci", models.CharField(blank=True, max_length=20)),
                ("first_seen_at", models.DateTimeField()),
                ("last_seen_at", models.DateTimeField()),
                ("replaced_at", models.DateTimeField(null=True)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "node",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.node",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "node", "kind", "index", "uuid", "name"),
                        name="device_once",
                        nulls_distinct=False,
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Participation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "part",
                    models.CharField(
                        choices=[
                            ("operator", "Operator"),
                            ("tenant", "Tenant"),
                            ("platform", "Platform"),
                            ("gpu_vendor", "Gpu Vendor"),
                            ("network_vendor", "Network Vendor"),
                            ("storage_vendor", "Storage Vendor"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "layers",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=16), default=list, size=None
                    ),
                ),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
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
            options={
                "indexes": [
                    models.Index(fields=["cluster"], name="participation_by_cluster"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "cluster", "part"), name="participation_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ProjectTenant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("project", models.CharField(max_length=120)),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
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
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "cluster", "project"), name="project_tenant_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Session",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("scheduler", models.CharField(blank=True, max_length=40)),
                ("name", models.CharField(max_length=200)),
                ("job", models.CharField(blank=True, max_length=200)),
                ("project", models.CharField(blank=True, max_length=120)),
                ("is_simulated", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField()),
                (
                    "cluster",
                    models.ForeignKey(
                        null=True,
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
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "public_id"), name="session_public_id_once"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "cluster", "scheduler", "name"),
                        name="session_once",
                        nulls_distinct=False,
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(default=1)),
                ("state", models.CharField(default="unknown", max_length=16)),
                ("started_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "hosts",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=253), default=list, size=None
                    ),
                ),
                ("world_size", models.PositiveIntegerField(null=True)),
                ("ranks", models.JSONField(default=dict)),
                ("exit_codes", models.JSONField(default=dict)),
                ("field_sources", models.JSONField(default=dict)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attempts",
                        to="fleet.session",
                    ),
                ),
            ],
            options={
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["hosts"], name="attempt_hosts"
                    ),
                    models.Index(fields=["organization", "-started_at"], name="attempt_by_start"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "session", "number"), name="attempt_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SessionParty",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="fleet.session",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["session", "organization"], name="session_party_by_session"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "session"), name="session_party_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Link",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("host", models.CharField(max_length=253)),
                ("device", models.CharField(max_length=120)),
                ("switch", models.CharField(max_length=253)),
                ("port", models.CharField(max_length=60)),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
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
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "cluster", "host", "device"), name="link_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Mount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("path", models.CharField(max_length=500)),
                ("server", models.CharField(max_length=253)),
                (
                    "hosts",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=253), default=list, size=None
                    ),
                ),
                (
                    "cluster",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
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
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "cluster", "path"), name="mount_once"
                    )
                ],
            },
        ),
        isolation.isolate("fleet_participation"),
        isolation.isolate("fleet_projecttenant"),
        isolation.isolate("fleet_node"),
        isolation.isolate("fleet_device"),
        isolation.isolate("fleet_link"),
        isolation.isolate("fleet_mount"),
        isolation.isolate("fleet_sessionparty"),
        isolation.isolate_shared(
            "fleet_session", party_table="fleet_sessionparty", column="session_id"
        ),
        isolation.isolate_shared(
            "fleet_attempt", party_table="fleet_sessionparty", column="session_id", key="session_id"
        ),
        isolation.lookup_function(
            "portal_parties",
            argument="sought bigint",
            returns="SETOF bigint",
            body=(
                "SELECT DISTINCT p.organization_id FROM fleet_participation p"
                " WHERE p.cluster_id = sought ORDER BY 1"
            ),
            tables=("fleet_participation",),
        ),
    ]
