"""Links that work once, closed as they are made; sessions that end when a member is removed."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0003_kept_answer"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="session_epoch",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                ("digest", models.BinaryField(max_length=32)),
                ("name", models.CharField(blank=True, max_length=150)),
                ("email", models.EmailField(blank=True, max_length=254)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("viewer", "Viewer"),
                            ("responder", "Responder"),
                            ("admin", "Admin"),
                        ],
                        max_length=16,
                    ),
                ),
                ("invited_by", models.CharField(max_length=120)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
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
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "public_id"), name="invitation_public_id_once"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "digest"), name="invitation_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["viewer", "responder", "admin"])),
                        name="invitation_role",
                    ),
                ],
            },
        ),
        isolation.isolate("tenancy_invitation"),
    ]
