"""Charts that another party keeps, as far as it shows them."""

import pytest

from apps.incidents.facade.shared import shared_charts
from apps.incidents.models import Incident
from apps.incidents.projection.shared.shared_charts import SharedChart
from apps.sharing.terms import Level, Place, SharingRule
from apps.telemetry.models import EvidenceBlock
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, actor, assemble, attempt_of, stop_of
from tests.cast.kept_charts import SIGNALS, keep


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


@pytest.fixture
def incident(cast: Cast) -> Incident:
    made = stop_of(cast, attempt_of(cast, cast.tenant))
    keep(cast, made)
    return made


def charts(incident: Incident, reader: Organization) -> list[SharedChart]:
    with organization_scope(reader.pk):
        return list(
            shared_charts(actor=actor(reader, MemberRole.VIEWER), public_id=incident.public_id)
        )


def test_without_an_agreement_no_chart_is_shown(cast: Cast, incident: Incident) -> None:
    assert charts(incident, cast.tenant) == []


@pytest.mark.parametrize("preset", ["joint-operations", "open-book"])
def test_the_tenant_reads_the_charts_of_its_hosts_beside_their_peers(
    cast: Cast, incident: Incident, preset: str
) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, preset=preset)

    found = charts(incident, cast.tenant)

    assert {each.series.signal for each in found} == set(SIGNALS)
    assert {each.series.entity.host for each in found} == {"gpu001"}
    assert all(each.series.peers for each in found)
    assert {each.shared.holder.slug for each in found} == {cast.operator.slug}


@pytest.mark.parametrize(
    "rule",
    [
        SharingRule(data="metrics:host", level=Level.FULL),
        SharingRule(data="metrics:gpu", level=Level.SIGNAL),
        SharingRule(data="events:gpu", level=Level.FULL),
        SharingRule(data="metrics:gpu", level=Level.FULL, where=Place.BLAMED),
    ],
)
def test_what_no_rule_shows_is_not_drawn(cast: Cast, incident: Incident, rule: SharingRule) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, terms={cast.operator.slug: [rule]})

    assert charts(incident, cast.tenant) == []


def test_a_vendor_reads_its_layer_where_it_is_blamed(cast: Cast, incident: Incident) -> None:
    agreed(cast.operator, cast.vendor, cast.cluster, preset="joint-operations")

    assert {each.series.layer for each in charts(incident, cast.vendor)} == {"gpu"}


def test_redacted_a_host_that_the_reader_does_not_know_has_a_pseudonym(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(culprits=[])
    rule = SharingRule(data="metrics:*", level=Level.REDACTED)
    agreed(cast.operator, cast.vendor, cast.cluster, terms={cast.operator.slug: [rule]})

    names = {each.series.entity.host for each in charts(incident, cast.vendor)}

    assert len(names) == 1
    assert all((name or "").startswith("host-") for name in names)


def test_what_a_series_is_called_is_redacted(cast: Cast, incident: Incident) -> None:
    rule = SharingRule(data="metrics:*", level=Level.REDACTED)
    agreed(cast.operator, cast.tenant, cast.cluster, terms={cast.operator.slug: [rule]})
    with organization_scope(cast.operator.pk):
        blocks = EvidenceBlock.objects.for_organization(cast.operator)
        blocks.filter(signals=["gpu.power"]).update(signals=["gpu.power[/mnt/moonlight]"])
        blocks.filter(signals=["gpu.clock"]).update(signals=["unheard[/mnt/moonlight]"])

    found = [each.series for each in charts(incident, cast.tenant)]

    assert "moonlight" not in str([(each.signal, each.meaning) for each in found])
    assert any(each.signal.startswith("gpu.power[/p-") for each in found)
