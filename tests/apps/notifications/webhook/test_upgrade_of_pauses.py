"""A webhook that a former version paused stays paused, for the same reason."""

import pytest

from apps.diagnosis.model import statement_of
from apps.notifications.models import Webhook
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.wording import in_english
from tests.apps.notifications.receiving import webhook
from tests.cast.incidents import assemble
from tests.former_version import execute, migrate

BEFORE = ("notices", "0006_names")
SAID = (
    "It answered 410: nobody is there any more.",
    "It failed for five days: HTTP 500.",
    "Somebody wrote this by hand",
)
KINDS = ["webhook-gone", "webhook-failed-long", "text"]


def _pauses(parties: list[Organization]) -> list[dict[str, object] | None]:
    with organization_scope(*(each.pk for each in parties)):
        found = dict(Webhook.objects.values_list("organization_id", "pause"))
    return [found[each.pk] for each in parties]


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_why_a_webhook_is_paused_is_carried_over() -> None:
    cast = assemble()
    parties = [cast.tenant, cast.operator, cast.vendor, cast.stranger]
    for who in parties:
        webhook(who, "https://example.org/hook")
    try:
        migrate(BEFORE)
        for who, words in zip(parties, SAID, strict=False):
            execute(
                "UPDATE notices_webhook SET paused_because = %s WHERE organization_id = %s",
                *(words, who.pk),
            )
    finally:
        migrate()
    *told, none = _pauses(parties)
    assert none is None
    assert [each["kind"] for each in told if each] == KINDS
    assert tuple(in_english(statement_of(each or {})) for each in told) == SAID
