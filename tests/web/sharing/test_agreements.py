"""Two admins of two organizations set an agreement up, change it and end it, on pages alone."""

import re

import pytest

from apps.sharing.agreements import versions_of
from apps.sharing.models import Agreement
from apps.sharing.states import VersionState, states_of
from apps.sharing.terms import read_terms
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import agreed, proposed
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.markup import one_line
from tests.web.pressing import press, read


def at(organization: Organization, path: str = "") -> str:
    return f"/o/{organization.slug}/sharing/{path}"


def made(cast: Cast) -> Agreement:
    with organization_scope(cast.operator.pk):
        return Agreement.objects.get()


def states(cast: Cast) -> list[VersionState]:
    with organization_scope(cast.operator.pk):
        versions = versions_of(agreements=[made(cast)])[made(cast).pk]
    return list(states_of(versions=versions, now=make.AT).values())


def test_terms_are_read_before_they_are_signed(cast: Cast, browser: Browser) -> None:
    operator = browser(cast.operator, MemberRole.ADMIN)
    page = read(operator, at(cast.operator))
    assert page.count("Propose an agreement…") == 3
    there = f"propose/?cluster={cast.cluster.slug}&amp;counterpart={cast.tenant.slug}"
    assert at(cast.operator, there) in page

    page = read(operator, at(cast.operator, there.replace("&amp;", "&")))

    name = cast.tenant.name
    assert f"All metrics of the nodes of the sessions of {name}, while they ran: in full" in page
    with organization_scope(cast.operator.pk):
        assert not Agreement.objects.exists()
    press(operator, page, 'name="preset" value="joint-operations"')
    assert states(cast) == [VersionState.PROPOSED]
    tenant = browser(cast.tenant, MemberRole.ADMIN)
    page = read(tenant, at(cast.tenant))
    assert "waits for you" in page
    page = read(tenant, at(cast.tenant, f"agreements/{made(cast).public_id}/"))
    assert f"What {cast.operator.name} shows you" in page
    assert "All metrics of the nodes of your own sessions, while they ran: in full" in page
    page = press(tenant, page, "Sign as")
    assert "Signed. It holds from now on." in page
    assert states(cast) == [VersionState.IN_FORCE]


def test_own_terms_are_proposed_without_a_preset_before_and_stay_typed(
    cast: Cast, browser: Browser
) -> None:
    operator = browser(cast.operator, MemberRole.ADMIN)
    there = f"propose/?cluster={cast.cluster.slug}&counterpart={cast.tenant.slug}&preset=closed"
    page = read(operator, at(cast.operator, there))
    slug = cast.operator.slug
    typed = {
        "cluster": cast.cluster.slug, "counterpart": cast.tenant.slug, "former": "0",
        f"{slug}.data": "metrics:gpu", f"{slug}.level": "full", f"{slug}.where": "cluster",
        f"{slug}.keep_days": "",
    }  # fmt: skip

    refused = operator.post(at(cast.operator, "propose/"), typed | {"until": "2020-01-01"})
    told = one_line(refused.content.decode())
    assert refused.status_code == 422
    assert "Not proposed: until: it lies in the past" in told
    assert '<option value="metrics:gpu" selected>' in told
    press(operator, page, 'name="until"', **typed)

    assert states(cast) == [VersionState.PROPOSED]
    there_now = operator.get(at(cast.operator, there))
    assert there_now["Location"] == at(cast.operator, f"agreements/{made(cast).public_id}/")
    page = read(operator, there_now["Location"])
    assert "Metrics: GPU of the whole cluster: in full" in page


def test_no_agreement_is_begun_with_who_is_not_known_or_by_who_is_no_admin(
    cast: Cast, browser: Browser
) -> None:
    asked = f"propose/?cluster={cast.cluster.slug}&counterpart="
    tenant = browser(cast.tenant, MemberRole.ADMIN)
    assert tenant.get(at(cast.tenant, asked + cast.other_tenant.slug)).status_code == 404
    assert tenant.get(at(cast.tenant, asked + cast.stranger.slug)).status_code == 404
    assert tenant.get(at(cast.tenant, "propose/")).status_code == 302
    viewer = browser(cast.tenant, MemberRole.VIEWER)
    assert viewer.get(at(cast.tenant, asked + cast.operator.slug)).status_code == 404


def test_a_preset_goes_to_all_with_whom_there_is_nothing(cast: Cast, browser: Browser) -> None:
    proposed(cast.operator, cast.tenant, cast.cluster, preset="closed")
    operator = browser(cast.operator, MemberRole.ADMIN)
    page = read(operator, at(cast.operator))

    page = press(operator, page, "Propose: Open book")

    assert f"proposed to {cast.other_tenant.name}, {cast.vendor.name}" in page or (
        f"proposed to {cast.vendor.name}, {cast.other_tenant.name}" in page
    )
    with organization_scope(cast.operator.pk):
        assert Agreement.objects.count() == 3
    assert "There is something with every party already." in press(
        operator, page.replace("</section>", _form(page, cast) + "</section>", 1), "Propose: Again"
    )


def _form(page: str, cast: Cast) -> str:
    return (
        f'<form action="{at(cast.operator, "propose/")}"><input type="hidden" name="cluster" '
        f'value="{cast.cluster.slug}"><input type="hidden" name="preset" value="closed">'
        "Propose: Again</form>"
    )


def test_other_terms_answer_a_proposal_and_wait_themselves(cast: Cast, browser: Browser) -> None:
    proposed(cast.operator, cast.tenant, cast.cluster, preset="joint-operations")
    tenant = browser(cast.tenant, MemberRole.ADMIN)
    page = read(tenant, at(cast.tenant, f"agreements/{made(cast).public_id}/"))
    slug = cast.operator.slug

    press(
        tenant, page, "and propose to",
        **{f"{slug}.data": "metrics:gpu", f"{slug}.level": "full", f"{slug}.where": "cluster",
           f"{slug}.keep_days": "30", "note": "GPUs are enough"},
    )  # fmt: skip

    assert states(cast) == [VersionState.COUNTERED, VersionState.PROPOSED]
    page = read(
        browser(cast.operator, MemberRole.ADMIN),
        at(cast.operator, f"agreements/{made(cast).public_id}/"),
    )
    assert "Metrics: GPU of the whole cluster: in full, for 30 days" in page
    assert "GPUs are enough" in page
    assert f"{cast.operator.name}: All events" in page.split('id="history-title"')[0]
    assert re.search(r'<details class="about pad"\s*>\s*<summary>Change rules', page)


def test_what_can_t_be_proposed_stays_typed(cast: Cast, browser: Browser) -> None:
    proposed(cast.operator, cast.tenant, cast.cluster, preset="joint-operations")
    tenant = browser(cast.tenant, MemberRole.ADMIN)
    slug, row = cast.tenant.slug, made(cast)
    sent = {
        "cluster": cast.cluster.slug, "counterpart": cast.operator.slug, "former": "1",
        "agreement": row.public_id, "note": "KEPT-NOTE", "until": "2020-01-01",
        f"{slug}.data": "events:gpu", f"{slug}.level": "signal", f"{slug}.where": "blamed",
        f"{slug}.keep_days": "12",
    }  # fmt: skip

    answer = tenant.post(at(cast.tenant, "propose/"), sent)

    page = one_line(answer.content.decode())
    assert answer.status_code == 422
    assert "until: it lies in the past" in page
    assert all(word in page for word in ("KEPT-NOTE", 'value="2020-01-01"', 'value="12"'))
    assert '<option value="events:gpu" selected>' in page
    assert states(cast) == [VersionState.PROPOSED]


def test_what_came_meanwhile_is_read_first(cast: Cast, browser: Browser) -> None:
    proposed(cast.operator, cast.tenant, cast.cluster, preset="joint-operations")
    tenant = browser(cast.tenant, MemberRole.ADMIN)
    page = read(tenant, at(cast.tenant, f"agreements/{made(cast).public_id}/"))
    proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book")

    after = press(tenant, page, "Sign as")

    assert "It stands otherwise meanwhile" in after
    assert states(cast) == [VersionState.REPLACED, VersionState.PROPOSED]


def test_either_side_ends_it_with_a_reason_that_the_other_reads(
    cast: Cast, browser: Browser
) -> None:
    row = agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")
    tenant = browser(cast.tenant, MemberRole.ADMIN)
    page = read(tenant, at(cast.tenant, f"agreements/{row.public_id}/"))

    assert "Say why it ends" in press(tenant, page, "End it now", reason=" ")
    press(tenant, page, "End it now", reason="The contract is over")

    page = read(
        browser(cast.operator, MemberRole.VIEWER), at(cast.operator, f"agreements/{row.public_id}/")
    )
    assert "The contract is over" in page
    assert "In force" not in page


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_who_is_no_admin_reads_and_does_nothing(
    cast: Cast, browser: Browser, role: MemberRole
) -> None:
    row = proposed(cast.operator, cast.tenant, cast.cluster, preset="open-book")
    client = browser(cast.tenant, role)

    page = read(client, at(cast.tenant, f"agreements/{row.public_id}/"))

    assert "Sign as" not in page
    assert "Propose other terms" not in page
    for act in ("sign", "decline", "take-back", "end"):
        answer = client.post(
            at(cast.tenant, f"agreements/{row.public_id}/{act}/"), {"number": "1", "reason": "x"}
        )
        assert answer.status_code == 404
    wish = {"cluster": cast.cluster.slug, "counterpart": cast.operator.slug, "preset": "closed"}
    assert client.post(at(cast.tenant, "propose/"), wish).status_code == 404
    assert states(cast) == [VersionState.PROPOSED]


def test_a_third_party_finds_nothing(cast: Cast, browser: Browser) -> None:
    row = agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")
    client = browser(cast.vendor, MemberRole.ADMIN)

    assert client.get(at(cast.vendor, f"agreements/{row.public_id}/")).status_code == 404
    assert (
        client.post(
            at(cast.vendor, f"agreements/{row.public_id}/sign/"), {"number": "1"}
        ).status_code
        == 404
    )
    assert row.public_id not in read(client, at(cast.vendor))
    wish = {"cluster": cast.cluster.slug, "counterpart": cast.stranger.slug, "preset": "closed"}
    assert client.post(at(cast.vendor, "propose/"), wish).status_code == 404


def test_a_tenant_is_not_offered_the_tenant_beside_it(cast: Cast, browser: Browser) -> None:
    page = read(browser(cast.tenant, MemberRole.ADMIN), at(cast.tenant))

    assert cast.operator.name in page
    assert cast.other_tenant.name not in page


def test_a_vendor_answers_the_tenant_that_made_itself_known(cast: Cast, browser: Browser) -> None:
    """A vendor is told of no tenant; one that proposes to it is one that it may answer."""
    vendor = browser(cast.vendor, MemberRole.ADMIN)
    assert cast.tenant.name not in read(vendor, at(cast.vendor))
    agreement = proposed(cast.tenant, cast.vendor, cast.cluster, preset="open-book")

    page = read(vendor, at(cast.vendor))
    assert cast.tenant.name in page
    assert cast.other_tenant.name not in page
    assert "left the cluster" not in page
    sent = {"cluster": cast.cluster.slug, "counterpart": cast.tenant.slug, "preset": "closed"}
    assert vendor.post(at(cast.vendor, "propose/"), sent).status_code == 302

    with organization_scope(cast.vendor.pk):
        versions = versions_of(agreements=[agreement])[agreement.pk]
    assert [each.proposer_id for each in versions] == [cast.tenant.pk, cast.vendor.pk]
    other = sent | {"counterpart": cast.other_tenant.slug}
    assert vendor.post(at(cast.vendor, "propose/"), other).status_code == 404


def test_what_is_not_seen_is_no_part_of_what_they_say(cast: Cast, browser: Browser) -> None:
    """A sign that turns the order of letters around would turn the portal's words around, too."""
    operator, tenant = (browser(each, MemberRole.ADMIN) for each in (cast.operator, cast.tenant))
    sent = {"cluster": cast.cluster.slug, "counterpart": cast.tenant.slug, "preset": "closed"}
    operator.post(at(cast.operator, "propose/"), sent | {"note": "to\x00 \u202eyou"})
    there = at(cast.tenant, f"agreements/{made(cast).public_id}/")
    tenant.post(there + "decline/", {"number": "1", "reason": "not\x00 \u202enow"})

    page = read(operator, at(cast.operator, f"agreements/{made(cast).public_id}/"))

    assert "to you" in page
    assert "not now" in page
    for odd in ({"cluster": "a\x00"}, {"note": "x" * 501, "agreement": "a\x00"}):
        assert operator.post(at(cast.operator, "propose/"), sent | odd).status_code == 404


def waiting(cast: Cast) -> list[str]:
    """Let two parties propose something to the operator; return what the page sends for each."""
    for other in (cast.tenant, cast.vendor):
        proposed(other, cast.operator, cast.cluster, preset="joint-operations")
    with organization_scope(cast.operator.pk):
        return [f"{each.public_id}.1" for each in Agreement.objects.all()]


def signed(cast: Cast) -> int:
    with organization_scope(cast.operator.pk):
        rows = list(Agreement.objects.all())
        found = versions_of(agreements=rows)
    return sum(
        VersionState.IN_FORCE in states_of(versions=versions, now=make.AT).values()
        for versions in found.values()
    )


def test_all_that_wait_are_signed_in_one_step_each_with_its_words(
    cast: Cast, browser: Browser
) -> None:
    names = waiting(cast)
    operator = browser(cast.operator, MemberRole.ADMIN)
    page = read(operator, at(cast.operator))
    assert "2 agreements wait for your signature" in page
    for other in (cast.tenant, cast.vendor):
        assert f"What {other.name} shows you" in page
    assert all(f'value="{name}" checked' in page for name in names)

    answer = operator.post(at(cast.operator, "sign/"), {"agreement": names}, follow=True)

    assert "Signed 2 agreements." in answer.content.decode()
    assert signed(cast) == 2
    assert "wait for your signature" not in read(operator, at(cast.operator))


def test_what_was_not_ticked_or_moved_since_is_not_signed(cast: Cast, browser: Browser) -> None:
    first, second = waiting(cast)
    operator = browser(cast.operator, MemberRole.ADMIN)
    stale = f"{second.partition('.')[0]}.7"

    answer = operator.post(at(cast.operator, "sign/"), {"agreement": [first, stale]}, follow=True)

    told = answer.content.decode()
    assert "Signed 1 agreement." in told
    assert "1 agreement stands otherwise meanwhile" in told
    assert signed(cast) == 1


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_who_is_no_admin_signs_nothing(cast: Cast, browser: Browser, role: MemberRole) -> None:
    names = waiting(cast)
    member = browser(cast.operator, role)

    assert "wait for your signature" not in read(member, at(cast.operator))
    assert member.post(at(cast.operator, "sign/"), {"agreement": names}).status_code == 404
    assert signed(cast) == 0


def test_a_third_party_signs_nothing_of_others(cast: Cast, browser: Browser) -> None:
    names = waiting(cast)
    other = browser(cast.other_tenant, MemberRole.ADMIN)

    assert other.post(at(cast.other_tenant, "sign/"), {"agreement": names}).status_code == 404
    assert signed(cast) == 0


def test_a_preset_of_a_stale_page_does_not_answer_what_came_since(
    cast: Cast, browser: Browser
) -> None:
    operator = browser(cast.operator, MemberRole.ADMIN)
    asked = f"propose/?cluster={cast.cluster.slug}&counterpart={cast.tenant.slug}"
    page = read(operator, at(cast.operator, asked))
    proposed(cast.tenant, cast.operator, cast.cluster, preset="open-book")

    told = press(operator, page, 'name="preset" value="joint-operations"')

    assert "Meanwhile the other side proposed something" in told
    assert states(cast) == [VersionState.PROPOSED]


def test_a_preset_goes_to_those_that_the_page_named_and_to_nobody_else(
    cast: Cast, browser: Browser
) -> None:
    proposed(cast.operator, cast.tenant, cast.cluster, preset="closed")
    operator = browser(cast.operator, MemberRole.ADMIN)
    press(
        operator,
        read(operator, at(cast.operator, f"agreements/{made(cast).public_id}/")),
        "take-back",
    )
    page = read(operator, at(cast.operator))
    assert cast.tenant.name not in page.split("Propose the same to ")[1].split("</h3>")[0]

    press(operator, page, "Propose: Open book")

    with organization_scope(cast.operator.pk):
        rows = list(Agreement.objects.all())
        last = {
            (each.counterpart_id): versions_of(agreements=[each])[each.pk][-1].preset
            for each in rows
        }
    assert last == {
        cast.tenant.pk: "closed", cast.vendor.pk: "open-book", cast.other_tenant.pk: "open-book",
    }  # fmt: skip


def test_what_a_rule_is_for_is_shown_and_stays_when_others_are_changed(
    cast: Cast, browser: Browser
) -> None:
    rule = {"data": "metrics:*", "level": "full", "purpose": "review"}
    sides = (cast.operator.slug, cast.tenant.slug)
    terms = read_terms({cast.operator.slug: [rule]}, sides=sides)
    proposed(cast.operator, cast.tenant, cast.cluster, terms=terms)
    operator = browser(cast.operator, MemberRole.ADMIN)

    page = read(operator, at(cast.operator, f"agreements/{made(cast).public_id}/"))

    assert "All metrics of the whole cluster: in full, for review" in page
    assert '<option value="review" selected>' in page
