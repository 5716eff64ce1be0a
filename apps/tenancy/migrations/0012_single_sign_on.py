"""Organizations' own providers, the domains they may vouch for, and whom they mean."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0011_required_second_factor"),
    ]

    operations = [
        migrations.CreateModel(
            name="IdentityProvider",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.CharField(max_length=24)),
                ("issuer", models.CharField(max_length=500)),
                ("client_id", models.CharField(max_length=255)),
                ("secret", models.BinaryField(max_length=2000)),
                ("scopes", models.CharField(max_length=200)),
                ("group_claim", models.CharField(max_length=100)),
                ("role_by_group", models.JSONField(default=dict)),
                ("role_without_group", models.CharField(blank=True, max_length=16)),
                (
                    "allowed_networks",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=50), default=list, size=None
                    ),
                ),
                ("is_enabled", models.BooleanField(default=True)),
                ("created_at", models.DateTimeField()),
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
                        fields=("organization",), name="identity_provider_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("role_without_group__in", ["", "viewer", "responder", "admin"])
                        ),
                        name="identity_provider_role",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="MailDomain",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("domain", models.CharField(max_length=253)),
                ("asked_at", models.DateTimeField()),
                ("confirmed_at", models.DateTimeField(null=True)),
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
                        fields=("organization", "domain"), name="mail_domain_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ProviderIdentity",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("issuer", models.CharField(max_length=500)),
                ("subject", models.CharField(max_length=255)),
                ("connected_at", models.DateTimeField()),
                ("last_used_at", models.DateTimeField(null=True)),
                ("barred_at", models.DateTimeField(null=True)),
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
                        fields=("organization", "issuer", "subject"), name="provider_identity_once"
                    ),
                    models.UniqueConstraint(
                        fields=("organization", "user"), name="provider_identity_of_user"
                    ),
                ],
            },
        ),
        isolation.isolate("tenancy_identityprovider"),
        isolation.isolate("tenancy_maildomain"),
        isolation.isolate("tenancy_provideridentity"),
    ]
