"""How a source that is sent its metrics stands, and where it may be sent on to."""

import pytest

from apps.telemetry.metrics.source_settings import BadSource, SourceSettings, change
from apps.telemetry.samples.window.window_status import standings_of
from apps.telemetry.values import source_view
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.api.receivers.writing import Series, snapped, v1, write
from tests.apps.telemetry.samples.windows import NOW_MS, drained, sources
from tests.cast.incidents import actor
from tests.cast.pushes import cast

UP = {"__name__": "up", "instance": "gpu001:9100"}


@pytest.mark.django_db
def test_a_pushed_source_may_name_a_store_and_need_not() -> None:
    people = cast()
    body = v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])])
    assert write(people.token(people.operator), snapped(body)).status_code == 204
    drained(people.operator)
    (source,) = sources(people.operator)

    def changed(organization: Organization, **values: object) -> None:
        with organization_scope(organization.pk):
            change(
                actor=actor(organization, MemberRole.ADMIN),
                source=source,
                wanted=SourceSettings(values=values),
            )

    changed(people.operator, name="edge", url="")
    changed(people.operator, url="https://store.example/api/v1/write")
    with pytest.raises(BadSource):
        changed(people.operator, url="http://127.0.0.1/api/v1/write")
    with organization_scope(people.operator.pk):
        (standing,) = standings_of(
            actor=actor(people.operator), sources=[source_view(source)]
        ).values()
    assert (standing.series_count, standing.sample_count) == (1, 1)
    assert standing.held_since
    assert standing.forward_state == "off"
    with organization_scope(people.other.pk):
        assert standings_of(actor=actor(people.other), sources=[source_view(source)]) == {}
