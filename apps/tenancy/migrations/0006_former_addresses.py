"""Take the addresses of before as confirmed: nobody on call may fall silent by an upgrade."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0005_confirmed_addresses")]

    operations = [
        migrations.RunSQL(
            "UPDATE tenancy_user SET confirmed_email = email WHERE email <> ''",
            migrations.RunSQL.noop,
        ),
    ]
