"""Readers of several organizations and languages at once in one process: each its own story."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.utils import translation

from apps.incidents import timeline
from apps.incidents.models import Incident
from apps.incidents.projection import incident_view
from apps.incidents.projection.shared import shared_moments
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.web.incident.timeline import moments
from tests.apps.incidents.projection.shared_reading import EVENTS, moment, of, view, words
from tests.cast.agreements import agreed
from tests.cast.incidents import assemble, attempt_of, stop_of

KEPT = (
    *(incident_view.OWN_STORIES, incident_view.IN_ORDER, timeline.CURRENT),
    *(shared_moments.THINGS, shared_moments.SHOWN, moments.WORDED, moments.WORDED_STORIES),
)
ANOTHER = {"en": "another party", "ko": "다른"}


def _read(incident: Incident, reader: Organization, language: str) -> set[str]:
    """Return all that was told in several looks."""
    try:
        told = set()
        for _ in range(6):
            with translation.override(language):
                story = view(incident, reader).timeline
                speakers = moments.Speakers(by_id={})
                told.add(words(story) + words(moments.entries_of(rows=story, speakers=speakers)))
        return told
    finally:
        connection.close()


def _tell(incident: Incident, holder: Organization, names: Iterable[str], host: str) -> None:
    with organization_scope(holder.pk):
        for name in names:
            moment(incident, holder, name, detail={"host": host})


@pytest.mark.django_db(transaction=True)
def test_readers_at_once_get_each_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for kept in KEPT:
        monkeypatch.setattr(kept, "_most", 40)  # let go again and again meanwhile
    cast = assemble()
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    _tell(incident, cast.operator, (f"fell off {number}" for number in range(20)), "marigold")
    _tell(incident, cast.tenant, (f"began {number}" for number in range(20)), "bluebell")
    redacted = SharingRule(data="events:gpu", level=Level.REDACTED)
    for reader, rule in ((cast.tenant, EVENTS), (cast.vendor, redacted)):
        agreed(cast.operator, reader, cast.cluster, terms=of(rule, cast.operator))
    hidden = {cast.tenant: "nothing", cast.vendor: "marigold", cast.operator: "bluebell"}
    asked = [(reader, language) for reader in hidden for language in ANOTHER]

    with ThreadPoolExecutor(len(asked)) as threads:
        found = list(threads.map(lambda each: _read(incident, *each), asked))

    for (reader, language), told in zip(asked, found, strict=True):
        other = ANOTHER["ko" if language == "en" else "en"]
        for text in told:
            assert "fell off 19" in text
            assert ("began" in text) is (reader == cast.tenant)
            assert hidden[reader] not in text
            assert other not in text
            assert ANOTHER[language] in text
