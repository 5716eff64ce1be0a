"""Keep every state that was reported of an attempt."""

import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation

PARTY = {"party_table": "fleet_sessionparty", "column": "session_id", "key": "session_id"}


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0010_weight"),
        ("tenancy", "0013_saml"),
    ]

    operations = [
        migrations.CreateModel(
            name="AttemptState",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("word", models.CharField(max_length=60)),
                ("scheduler", models.CharField(blank=True, max_length=40)),
                ("at", models.DateTimeField(null=True)),
                ("source", models.CharField(max_length=40)),
                ("standing", models.CharField(max_length=8)),
                ("member", models.CharField(blank=True, max_length=120)),
                ("result", models.CharField(blank=True, max_length=40)),
                ("reason", models.CharField(blank=True, max_length=80)),
                ("received_at", models.DateTimeField()),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="states",
                        to="fleet.attempt",
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=(
                            *("organization", "attempt", "source", "member", "word", "at"),
                            *("result", "reason"),
                        ),
                        name="attempt_state_once",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        isolation.isolate_shared("fleet_attemptstate", **PARTY),
        isolation.isolate_shared_until("fleet_attemptstate", **PARTY),
    ]
