"""Keep of each attempt how much was told of it: lists hold as much as an answer can."""

from django.db import migrations, models

# The owner of the tables is bound by their policies too, while they are forced.
WEIGH = """
    ALTER TABLE fleet_attempt NO FORCE ROW LEVEL SECURITY;
    UPDATE fleet_attempt SET weight = octet_length(hosts::text) + octet_length(ranks::text)
        + octet_length(exit_codes::text) + octet_length(field_sources::text)
        + octet_length(contradictions::text);
    SET CONSTRAINTS ALL IMMEDIATE;
    ALTER TABLE fleet_attempt FORCE ROW LEVEL SECURITY;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0009_session_aliases"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="weight",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.RunSQL(WEIGH, migrations.RunSQL.noop),
    ]
