"""What an incident's session is called, for those who may know it."""

import pytest

from apps.incidents.projection.headers import read_header
from apps.incidents.words.titles import session_name
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import actor, assemble, attempt_of, stop_of


@pytest.mark.django_db
def test_a_session_has_its_name_for_those_alone_who_may_know_it() -> None:
    cast = assemble()
    attempt = attempt_of(cast, cast.tenant)
    incident = stop_of(cast, attempt)
    said = {}
    for who in (cast.tenant, cast.operator, cast.vendor):
        with organization_scope(who.pk):
            said[who.slug] = session_name(read_header(actor=actor(who), incident=incident))
    named = attempt.session.name
    assert said == {cast.tenant.slug: named, cast.operator.slug: named, cast.vendor.slug: ""}
