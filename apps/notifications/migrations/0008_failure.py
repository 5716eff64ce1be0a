"""Why what was told did not arrive is a fact; what a former version wrote is read once."""

import re

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from apps.diagnosis.model import Statement, statement, statement_json
from apps.tenancy.database import isolation

KNOWN = {
    "redirects are not followed": "redirect-not-followed",
    "its answer took longer than a turn may": "answer-too-slow",
    "the TLS certificate is not accepted; check the CA or the host name": "certificate-refused",
    "no connection, or it broke": "connection-broken",
    "nothing can be sent to this address; correct it": "not-an-email-address",
    "this address is not confirmed yet": "address-unconfirmed",
    "no e-mail address": "no-email-address",
    "no member any more": "no-member-now",
    "no party of it any more": "no-party-now",
    "no party of the incident any more": "no-party-now",
    "the webhook was removed": "webhook-removed",
}
ANSWERED = re.compile(r"HTTP (?P<status>\d{3})(?: (?P<answer>.*))?", re.DOTALL)
LATE = re.compile(r"no answer within (?P<seconds>\d+) s(?P<vague>, or none that could be used)?")


def carry_over(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Keep what is known; other words stay as they are."""
    for model, column in (("Webhook", "last_error"), ("DeliveryAttempt", "error")):
        manager = apps.get_model("notices", model)._default_manager  # noqa: SLF001  of the state
        rows = manager.using(schema_editor.connection.alias).exclude(**{column: ""})
        for words in list(rows.order_by(column).values_list(column, flat=True).distinct()):
            rows.filter(**{column: words}).update(failure=statement_json(_fact(words)))


def _fact(words: str) -> Statement:
    if found := ANSWERED.fullmatch(words):
        told = _fact(found["answer"] or "")
        return statement("answered", status=int(found["status"]), answer=told)
    if found := LATE.fullmatch(words):
        kind = "no-answer" if found["vague"] else "answer-late"
        return statement(kind, seconds=int(found["seconds"]))
    known = KNOWN.get(words)
    return statement(known) if known else statement("text", text=words)


class Migration(migrations.Migration):
    dependencies = [("notices", "0007_pause")]

    operations = [
        migrations.AddField(
            model_name="webhook", name="failure", field=models.JSONField(default=None, null=True)
        ),
        migrations.AddField(
            model_name="deliveryattempt",
            name="failure",
            field=models.JSONField(default=None, null=True),
        ),
        isolation.for_rows_of_all(carry_over),
        migrations.RemoveField(model_name="webhook", name="last_error"),
        migrations.RemoveField(model_name="deliveryattempt", name="error"),
    ]
