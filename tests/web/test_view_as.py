"""Pages as another party would see them: marked, read only, on record, with nothing else inside."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.incidents.models import Incident
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.models import AuditEntry, MemberRole
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import EVENTS, of
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.changes import changed
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.conftest import Browser
from tests.web.markup import one_line


@pytest.fixture
def incident(cast: Cast) -> Incident:
    now = timezone.now()  # noqa: TID251  the pages read the clock, too
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator), now=now)
    return stop_of(cast, attempt_of(cast, cast.tenant))


def address(cast: Cast, incident: Incident | None = None) -> str:
    inside = f"{incident.public_id}/" if incident else ""
    return f"/o/{cast.operator.slug}/sharing/as/{cast.tenant.slug}/incidents/{inside}"


def test_an_admin_looks_as_another_party_is_told_so_and_leaves(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    admin = browser(cast.operator, MemberRole.ADMIN)
    own = one_line(
        admin.get(f"/o/{cast.operator.slug}/incidents/{incident.public_id}/").content.decode()
    )
    assert address(cast, incident) in own
    listed = one_line(admin.get(address(cast)).content.decode())
    page = one_line(admin.get(address(cast, incident)).content.decode())

    for text in (listed, page):
        assert f"You see this as {cast.tenant.name} would." in text
        assert "Leave this view" in text
    assert address(cast, incident) in listed
    assert f"{cast.operator.name} (in full)" in page
    main = page.split('<main id="main"')[1].split("</main>")[0]
    assert "<form" not in main
    assert "hx-" not in main
    assert "/stream/" not in page
    assert "export" not in main
    assert "may agree or contest" in own
    assert "may agree or contest" not in main


def test_nothing_is_written_below_it_and_who_may_not_manage_finds_nothing(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    admin = browser(cast.operator, MemberRole.ADMIN)
    for method in ("post", "put", "patch", "delete"):
        for path in (address(cast), address(cast, incident)):
            assert getattr(admin, method)(path).status_code == 405
        for act in ("acknowledge", "resolve", "annotations", "export.json", "stream"):
            assert getattr(admin, method)(f"{address(cast, incident)}{act}/").status_code == 404
    assert browser(cast.operator).get(address(cast, incident)).status_code == 404
    assert browser(cast.tenant, MemberRole.ADMIN).get(address(cast, incident)).status_code == 404


def test_rest_and_pages_beside_it_show_ones_own_as_ever(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    admin = browser(cast.operator, MemberRole.ADMIN)
    path = f"/api/v1/o/{cast.operator.slug}/incidents/{incident.public_id}/hypotheses/"
    before = admin.get(path).json()
    admin.get(address(cast, incident))

    assert admin.get(path).json() == before
    assert admin.get(path.replace("/o/", "/o/x/sharing/as/")).status_code == 404


def test_it_is_on_record_and_no_look_of_the_other(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    answer = browser(cast.operator, MemberRole.ADMIN).get(address(cast, incident))

    with organization_scope(cast.operator.pk):
        entry = AuditEntry.objects.get(action="sharing.viewed_as")
        assert entry.subject == f"{cast.tenant.slug} {incident.public_id}"
        assert not LedgerEntry.objects.exists()
    with organization_scope(cast.tenant.pk):
        assert not AuditEntry.objects.filter(action="sharing.viewed_as").exists()
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert "ETag" not in answer.headers


@pytest.mark.parametrize(
    ("level", "shown", "hidden"),
    [
        (None, (), ("CHANGE-TITLE", "nodes hidden by policy")),
        (Level.SIGNAL, ("nodes hidden by policy",), ("CHANGE-TITLE", "550.54")),
        (Level.FULL, ("CHANGE-TITLE", "550.54"), ()),
    ],
)
def test_changes_stand_there_as_the_agreement_shows_them(
    cast: Cast,
    browser: Browser,
    level: Level | None,
    shown: tuple[str, ...],
    hidden: tuple[str, ...],
) -> None:
    rules = [SharingRule(data="changes:*", level=level)] if level else []
    terms = {cast.operator.slug: [*of(EVENTS, cast.operator)[cast.operator.slug], *rules]}
    now = timezone.now()  # noqa: TID251  the pages read the clock, too
    agreed(cast.operator, cast.tenant, cast.cluster, terms=terms, now=now)
    found = stop_of(cast, attempt_of(cast, cast.tenant))
    changed(cast.operator, cast.cluster)
    changed(cast.tenant, cast.cluster, key="tenant's", title="NOT-THE-VIEWERS")
    admin = browser(cast.operator, MemberRole.ADMIN)
    page = one_line(admin.get(address(cast, found)).content.decode())

    for told in shown:
        assert told in page
    for kept in (*hidden, "NOT-THE-VIEWERS"):
        assert kept not in page


def test_a_change_under_a_later_session_of_the_other_stands_there_too(
    cast: Cast, browser: Browser
) -> None:
    rule = SharingRule(data="changes:*", level=Level.FULL, where=Place.OWN_SESSIONS)
    now = timezone.now()  # noqa: TID251  the pages read the clock, too
    terms = {cast.operator.slug: [rule]}
    agreed(cast.operator, cast.tenant, cast.cluster, terms=terms, now=now)
    ended = make.AT + timedelta(minutes=5)
    found = stop_of(cast, attempt_of(cast, cast.tenant, ended_at=ended))
    later = make.AT + timedelta(minutes=30)
    changed(cast.operator, cast.cluster, starts_at=later)
    attempt_of(cast, cast.other_tenant, started_at=ended)
    admin = browser(cast.operator, MemberRole.ADMIN)
    assert "CHANGE-TITLE" not in admin.get(address(cast, found)).content.decode()
    attempt_of(cast, cast.tenant, started_at=ended)
    assert "CHANGE-TITLE" in admin.get(address(cast, found)).content.decode()
