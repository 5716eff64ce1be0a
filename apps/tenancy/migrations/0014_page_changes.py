"""Keep for a while what changed for open pages, numbered in the order of commits."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import apps.tenancy.models.page_changes
from apps.tenancy.database import isolation


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0013_saml"),
    ]

    operations = [
        migrations.CreateModel(
            name="PageChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "code",
                    models.CharField(
                        default=apps.tenancy.models.page_changes.new_code, max_length=20
                    ),
                ),
                ("topic", models.CharField(max_length=12)),
                ("subject", models.BigIntegerField(null=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("number", models.BigIntegerField(null=True)),
                ("numbered_at", models.DateTimeField(null=True)),
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
                    models.Index(fields=["organization", "number"], name="page_change_by_number"),
                    models.Index(
                        condition=models.Q(("number", None)),
                        fields=["organization"],
                        name="page_change_unnumbered",
                    ),
                    models.Index(fields=["organization", "created_at"], name="page_change_by_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "code"), name="page_change_once"
                    )
                ],
            },
        ),
        isolation.isolate("tenancy_pagechange"),
        migrations.RunSQL(
            "CREATE SEQUENCE tenancy_pagechange_number_seq",
            "DROP SEQUENCE tenancy_pagechange_number_seq",
        ),
    ]
