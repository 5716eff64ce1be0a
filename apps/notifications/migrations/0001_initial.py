"""Subscriptions, the webhook, what was told, and how each delivery went."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from apps.tenancy.database import isolation

TABLES = (
    "notices_subscription",
    "notices_webhook",
    "notices_told",
    "notices_hearing",
    "notices_notice",
    "notices_delivery",
    "notices_try",
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("fleet", "0002_stays"),
        ("incidents", "0001_initial"),
        ("tenancy", "0003_kept_answer"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("kind", models.CharField(max_length=30)),
                ("subject", models.CharField(max_length=140)),
                ("step", models.PositiveIntegerField()),
                ("is_simulated", models.BooleanField(default=False)),
                ("body", models.JSONField()),
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
                    "incident",
                    models.ForeignKey(
                        null=True,
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
            options={
                "indexes": [
                    models.Index(fields=["organization", "created_at"], name="notice_by_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "kind", "subject", "step"), name="notice_once"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "public_id"), name="notice_public_id_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=40)),
                (
                    "channel",
                    models.CharField(
                        choices=[("email", "Email"), ("webhook", "Webhook")], max_length=8
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("sent", "Sent"),
                            ("failed", "Failed"),
                            ("dropped", "Dropped"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("parcel", models.CharField(blank=True, max_length=20)),
                ("due_at", models.DateTimeField()),
                ("waits_since", models.DateTimeField()),
                ("claimed_until", models.DateTimeField(null=True)),
                ("attempt_count", models.PositiveSmallIntegerField(default=0)),
                ("sent_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "notice",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="notices.notice",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["organization", "channel", "due_at"],
                        name="delivery_waiting",
                    ),
                    models.Index(fields=["organization", "-created_at"], name="delivery_by_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "notice", "channel", "user"),
                        name="delivery_once",
                        nulls_distinct=False,
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "public_id"), name="delivery_public_id_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Subscription",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kinds",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=30), default=list, size=None
                    ),
                ),
                (
                    "clusters",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                ("minimum", models.CharField(default="any", max_length=10)),
                ("rhythm", models.CharField(default="at-once", max_length=10)),
                ("zone", models.CharField(default="UTC", max_length=64)),
                ("quiet_from", models.TimeField(null=True)),
                ("quiet_until", models.TimeField(null=True)),
                (
                    "at_night",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=30), default=list, size=None
                    ),
                ),
                ("changed_at", models.DateTimeField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "user"), name="subscription_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Told",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seen_revision", models.PositiveIntegerField()),
                ("seen_status", models.CharField(max_length=10)),
                ("told", models.JSONField(null=True)),
                ("step", models.PositiveIntegerField(default=0)),
                ("waiting_since", models.DateTimeField(null=True)),
                ("due_at", models.DateTimeField(null=True)),
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
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)),
                        fields=["organization", "due_at"],
                        name="told_due",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "incident"), name="told_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Try",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("is_success", models.BooleanField()),
                ("error", models.CharField(blank=True, max_length=300)),
                ("seconds", models.FloatField(default=0.0)),
                ("next_at", models.DateTimeField(null=True)),
                (
                    "delivery",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="notices.delivery",
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
                    models.Index(
                        fields=["organization", "delivery", "-at"], name="try_by_delivery"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.URLField(max_length=500)),
                (
                    "kinds",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=30), default=list, size=None
                    ),
                ),
                (
                    "clusters",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                ("minimum", models.CharField(default="any", max_length=10)),
                (
                    "allowed_networks",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=50), default=list, size=None
                    ),
                ),
                ("secret", models.BinaryField()),
                ("former_secret", models.BinaryField(null=True)),
                ("former_until", models.DateTimeField(null=True)),
                ("is_enabled", models.BooleanField(default=True)),
                ("paused_because", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField()),
                ("last_success_at", models.DateTimeField(null=True)),
                ("last_error", models.CharField(blank=True, max_length=300)),
                ("failing_since", models.DateTimeField(null=True)),
                ("failure_count", models.PositiveIntegerField(default=0)),
                ("told_failing", models.BooleanField(default=False)),
                ("rests_until", models.DateTimeField(null=True)),
                ("claimed_until", models.DateTimeField(null=True)),
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
                    models.UniqueConstraint(fields=("organization",), name="webhook_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Hearing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("subject", models.CharField(max_length=120)),
                ("is_silent", models.BooleanField(default=False)),
                ("first_heard_at", models.DateTimeField()),
                ("last_heard_at", models.DateTimeField()),
                ("longest_gap_seconds", models.FloatField(default=0.0)),
                ("speaks_since", models.DateTimeField(null=True)),
                ("silent_since", models.DateTimeField(null=True)),
                ("step", models.PositiveIntegerField(default=0)),
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
                    models.UniqueConstraint(fields=("organization", "subject"), name="hearing_once")
                ],
            },
        ),
        *map(isolation.isolate, TABLES),
    ]
