"""How a webhook failed last, and each try of a delivery, is carried over as a fact."""

import pytest

from apps.diagnosis.model import statement_of
from apps.notifications.models import DeliveryAttempt, Webhook
from apps.tenancy.scope import organization_scope
from apps.wording import in_english
from tests.apps.notifications.receiving import webhook
from tests.contracts.world import build
from tests.former_version import execute, migrate

BEFORE = ("notices", "0007_pause")
SAID = {
    "HTTP 500 no way": "answered",
    "HTTP 302 redirects are not followed": "answered",
    "no answer within 10 s, or none that could be used": "no-answer",
    "no answer within 10 s": "answer-late",
    "no connection, or it broke": "connection-broken",
    "the webhook was removed": "webhook-removed",
    "550 no such user": "text",
}


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_failures_are_carried_over_as_facts_that_say_the_same() -> None:
    world = build()
    owner = world.owners["deliveries"]
    webhook(owner, "https://example.org/hook")
    try:
        migrate(BEFORE)
        execute(
            "UPDATE notices_webhook SET last_error = %s WHERE organization_id = %s",
            *("HTTP 500 no way", owner.pk),
        )
        for words in (*SAID, ""):
            execute(
                "INSERT INTO notices_try (organization_id, delivery_id, at, is_success, error, "
                "seconds) SELECT organization_id, id, now(), false, %s, 0 FROM notices_delivery "
                "WHERE organization_id = %s",
                *(words, owner.pk),
            )
    finally:
        migrate()
    with organization_scope(owner.pk):
        hook = statement_of(Webhook.objects.get().failure or {})
        tries = list(DeliveryAttempt.objects.order_by("id").values_list("failure", flat=True))
    *told, none = tries
    assert none is None
    assert in_english(hook) == "HTTP 500 no way"
    assert {in_english(statement_of(each or {})): (each or {})["kind"] for each in told} == SAID
