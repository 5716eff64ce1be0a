"""Providers that speak SAML, answer for addresses, and people who came by invitation."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0012_single_sign_on"),
    ]

    operations = [
        migrations.AddField(
            model_name="identityprovider",
            name="certificates",
            field=models.TextField(blank=True, db_default=""),
        ),
        migrations.AddField(
            model_name="identityprovider",
            name="protocol",
            field=models.CharField(
                choices=[("oidc", "Openid Connect"), ("saml", "Saml")],
                db_default="oidc",
                default="oidc",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="identityprovider",
            name="sign_in_url",
            field=models.CharField(blank=True, db_default="", max_length=2000),
        ),
        migrations.AddField(
            model_name="identityprovider",
            name="vouches_for_addresses",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="provideridentity",
            name="invited_role",
            field=models.CharField(blank=True, db_default="", default="", max_length=16),
        ),
        migrations.AlterField(
            model_name="identityprovider",
            name="client_id",
            field=models.CharField(blank=True, max_length=255),
        ),
        migrations.AddConstraint(
            model_name="identityprovider",
            constraint=models.CheckConstraint(
                condition=models.Q(("protocol__in", ["oidc", "saml"])),
                name="identity_provider_protocol",
            ),
        ),
        migrations.AddConstraint(
            model_name="provideridentity",
            constraint=models.CheckConstraint(
                condition=models.Q(("invited_role__in", ["", "viewer", "responder", "admin"])),
                name="provider_identity_invited_role",
            ),
        ),
    ]
