"""What happens to one tenant of a shared part moves nothing on the open page of another."""

from datetime import timedelta

import pytest

from apps.incidents.facade import reads
from apps.incidents.projection.access import access_incidents
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.web.live.page_mark import seen_mark
from tests.apps.incidents.correlation.struck_sessions import NOW, STORAGE, _look
from tests.cast.incidents import actor, assemble, attempt_of


def seen(reader: Organization) -> tuple[int, str]:
    """Return which incident is a reader's newest, and what its page has seen."""
    with organization_scope(reader.pk):
        own = actor(reader)
        public_id = access_incidents(actor=own)[0].public_id
        header = reads.incident_header(actor=own, public_id=public_id)
        later = NOW + timedelta(hours=2)
        return header.id, seen_mark(actor=own, header=header, shown=(), captures="", now=later)


@pytest.mark.django_db
def test_another_tenant_is_hit_later() -> None:
    cast = assemble()
    first, second = attempt_of(cast, cast.tenant), attempt_of(cast, cast.other_tenant)
    for after in (0, 30):
        _look(cast, first, STORAGE, timedelta(seconds=after))
    before = seen(cast.tenant)
    for after in (60, 90):
        _look(cast, second, STORAGE, timedelta(seconds=after))

    assert seen(cast.other_tenant)[0] == before[0]  # one incident
    assert seen(cast.tenant) == before
