"""Addresses that are confirmed, links that are mailed, and up to where the record was proven."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0004_invitation")]

    operations = [
        migrations.AddField(
            model_name="invitation",
            name="mail_digest",
            field=models.BinaryField(max_length=32, null=True),
        ),
        migrations.AddField(
            model_name="invitation",
            name="mail_due_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="invitation",
            name="mail_said",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
        migrations.AddField(
            model_name="invitation",
            name="mailed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="user",
            name="confirmed_email",
            field=models.EmailField(blank=True, db_default="", default="", max_length=254),
        ),
        migrations.AddField(
            model_name="user",
            name="language",
            field=models.CharField(blank=True, db_default="", default="", max_length=8),
        ),
        migrations.CreateModel(
            name="Confirmation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("email", models.EmailField(max_length=254)),
                ("asked_at", models.DateTimeField()),
                ("due_at", models.DateTimeField(null=True)),
                ("digest", models.BinaryField(db_index=True, max_length=32, null=True)),
                ("digest_at", models.DateTimeField(null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("letter_count", models.PositiveSmallIntegerField(default=0)),
                ("said", models.CharField(blank=True, max_length=200)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="AuditPoint",
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
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organization",), name="audit_point_once")
                ],
            },
        ),
        isolation.isolate("tenancy_auditpoint"),
    ]
