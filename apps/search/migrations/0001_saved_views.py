"""Views of lists that people keep."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenancy", "0013_saml"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedView",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=20)),
                (
                    "list_name",
                    models.CharField(
                        choices=[
                            ("incidents", "Incidents"),
                            ("sessions", "Sessions"),
                            ("warnings", "Warnings"),
                        ],
                        max_length=12,
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("query", models.CharField(blank=True, max_length=1000)),
                ("is_shared", models.BooleanField(default=False)),
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
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="DefaultView",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "list_name",
                    models.CharField(
                        choices=[
                            ("incidents", "Incidents"),
                            ("sessions", "Sessions"),
                            ("warnings", "Warnings"),
                        ],
                        max_length=12,
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
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "view",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="search.savedview",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.UniqueConstraint(
                fields=("organization", "public_id"), name="saved_view_public_id_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.UniqueConstraint(
                fields=("organization", "user", "list_name", "name"), name="saved_view_name_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="defaultview",
            constraint=models.UniqueConstraint(
                fields=("organization", "user", "list_name"), name="default_view_once"
            ),
        ),
        isolation.isolate("search_savedview"),
        isolation.isolate("search_defaultview"),
    ]
