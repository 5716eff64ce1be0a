"""The lines that a verdict rests on: their holder reads them, as they came in, and nobody else."""

import json
from copy import deepcopy

import pytest

from apps.incidents.exports.known_formats import all_formats
from apps.incidents.models import EvidenceItem
from apps.notifications.models import Notification
from apps.notifications.occasions.incident_changes import look
from apps.telemetry.logs.raw_lines import cited_lines
from apps.telemetry.models import Event, KeptLines, LogChunk, LogStream
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import AuditEntry, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import EVENTS, RAW
from tests.cast.agreements import agreed
from tests.cast.clients import member
from tests.cast.standing import standing
from tests.cast.stopped_session import AT, Story, stopped_by_a_gpu
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import page
from tests.web.markup import one_line

XID = "NVRM: Xid (PCI:0000:15:00): 79, pid=5, GPU has fallen off the bus."


stopped = standing(stopped_by_a_gpu)


@pytest.fixture
def story(stopped: Story, db: None) -> Story:
    """A session that a GPU stopped, told by two parties."""
    return deepcopy(stopped)


def explained(story: Story, organization: Organization) -> str:
    """Return the explanations as REST sends them."""
    asking = member(organization, MemberRole.VIEWER)
    answer = asking.get(f"incidents/{story.incident().public_id}/hypotheses/")
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_the_holder_reads_its_line_with_host_and_time(story: Story, browser: Browser) -> None:
    operator = story.people.operator
    text = page(browser(operator, MemberRole.VIEWER), operator, story.incident())
    lines = text[text.index('class="log-lines"') :]
    assert f'<pre tabindex="0">{XID}</pre>' in lines
    assert "kernel gpu001 line 301, 21 Nov 02:00:05 UTC" in lines


def test_a_line_that_another_party_shows_is_marked_as_its_log_is_shown(
    story: Story, browser: Browser
) -> None:
    people = story.people
    # Events in full, the lines that they were read from redacted.
    agreed(people.operator, people.tenant, people.cluster, preset="joint-operations")

    text = page(browser(people.tenant, MemberRole.VIEWER), people.tenant, story.incident())

    lines = text[text.index('class="log-lines"') :]
    assert f"<small>{people.operator.name} (redacted), gpu001" in lines
    assert f"<small>{people.operator.name} (in full), gpu001" not in lines
    assert "by your organization alone" not in lines


def test_for_a_blamed_layer_that_no_party_took_the_operator_answers(
    story: Story, browser: Browser
) -> None:
    operator = story.people.operator  # took hosts alone; the cluster has no vendor

    text = page(browser(operator, MemberRole.VIEWER), operator, story.incident())

    assert "no party took this layer, so its operator answers: you may agree or contest" in text
    assert "nobody here answers for this layer" not in text


def test_rest_gives_the_line_to_its_holder(story: Story) -> None:
    (best, *_) = json.loads(explained(story, story.people.operator))["results"]
    assert best["for"][0]["log_line"] == {
        "stream": "kernel",
        "host": "gpu001",
        "number": 301,
        "at": "2026-11-21T02:00:05Z",
        "text": XID,
    }


@pytest.mark.parametrize("reader", ["tenant", "platform"])
def test_no_other_party_meets_the_line(story: Story, browser: Browser, reader: str) -> None:
    other = getattr(story.people, reader)
    incident = story.incident()
    assert XID not in page(browser(other), other, incident)
    assert XID not in explained(story, other)


def test_the_operator_does_not_meet_the_line_of_the_tenant(story: Story) -> None:
    tenant, operator = story.people.tenant, story.people.operator
    with organization_scope(tenant.pk):
        name = f"stream:{LogStream.objects.get().pk}/1"
    texts = {}
    for each in (tenant, operator):
        actor = Actor(organization=each, rights=frozenset({Right.READ}))
        # The scope of both: what holds here are not the policies of the database alone.
        with organization_scope(tenant.pk, operator.pk):
            texts[each] = cited_lines(actor=actor, references=[name])[name].text
    assert "NCCL error" in str(texts[tenant])
    assert texts[operator] is None


def test_exports_news_and_the_record_hold_no_line_not_even_for_its_holder(story: Story) -> None:
    operator, incident = story.people.operator, story.incident()
    look(organization_id=operator.pk, now=AT)
    asking = member(operator, MemberRole.ADMIN)
    for form in (each.name for each in all_formats().values() if not each.lacks()):
        answer = asking.get(f"incidents/{incident.public_id}/export.{form}")
        body = b"".join(answer.streaming_content)
        assert answer.status_code == 200
        assert XID.encode() not in body
    with organization_scope(operator.pk):
        news = json.dumps(list(Notification.objects.values_list("body", flat=True)))
        record = str(list(AuditEntry.objects.values()))
    assert incident.public_id in news
    assert incident.public_id in record
    assert XID not in news + record


def test_the_line_outlives_the_rest_of_its_log(story: Story, browser: Browser) -> None:
    operator = story.people.operator
    for later in (RAW, 2 * EVENTS):
        story.retire(AT + later)
        assert XID in page(browser(operator), operator, story.incident())


def test_without_the_fact_the_raw_line_stands_for_it(story: Story) -> None:
    operator = story.people.operator
    with organization_scope(operator.pk):
        Event.objects.filter(organization=operator).delete()
    text = explained(story, operator)
    assert f"2026-11-21T02:00:05+00:00 gpu001 kernel: {XID}" in text


@pytest.mark.parametrize("gone", ["text", "stream"])
def test_a_line_that_is_gone_is_said_to_be(story: Story, browser: Browser, gone: str) -> None:
    operator = story.people.operator
    with organization_scope(operator.pk):
        Event.objects.filter(organization=operator).delete()
        for model in (KeptLines, LogChunk):
            model.objects.filter(organization=operator).delete()
        if gone == "stream":
            LogStream.objects.filter(organization=operator).delete()
    text = page(browser(operator), operator, story.incident())
    assert "This line is not kept any more." in text
    assert XID not in text
    (best, *_) = json.loads(explained(story, operator))["results"]
    assert best["for"][0]["log_line"]["text"] is None


def test_evidence_of_no_line_has_none(story: Story) -> None:
    operator = story.people.operator
    with organization_scope(operator.pk):
        EvidenceItem.objects.filter(organization=operator).update(reference="anomaly:1")
    (best, *_) = json.loads(explained(story, operator))["results"]
    assert best["for"][0]["log_line"] is None


def test_a_hostile_and_a_long_line_stay_text_and_short(story: Story, browser: Browser) -> None:
    operator = story.people.operator
    hostile = "<script>alert(1)</script>" + "x" * 2000
    with organization_scope(operator.pk):
        row = Event.objects.get(body__text=XID)
        row.body["text"] = hostile
        row.save()
    text = page(browser(operator), operator, story.incident())
    assert "&lt;script&gt;alert(1)&lt;/script&gt;xxx" in text
    assert "<script>alert" not in text
    assert "x" * 1001 not in text
    assert "x…</pre>" in text
    assert "x" * 2000 in explained(story, operator)


def around(story: Story) -> str:
    """Return the address of the operator's line among its neighbours."""
    public_id = story.incident().public_id
    where = "stream=kernel&host=gpu001&line=301"
    return f"/o/{story.people.operator.slug}/incidents/{public_id}/lines/?{where}"


def test_the_card_leads_to_the_lines_around_a_cited_one(story: Story, browser: Browser) -> None:
    operator = story.people.operator
    client = browser(operator, MemberRole.VIEWER)
    text = page(client, operator, story.incident())
    assert around(story).replace("&", "&amp;") in text
    whole = one_line(client.get(around(story)).content.decode())
    assert (
        'id="line-301" value="301" aria-current="true" tabindex="-1" autofocus class="is-cited"'
        in whole
    )
    assert XID in whole
    assert 'id="line-300"' in whole
    assert 'id="line-321"' in whole
    assert 'id="line-280"' not in whole
    part = client.get(around(story), headers={"HX-Request": "true"}).content.decode()
    assert 'id="line-301"' in part
    assert "<html" not in part


@pytest.mark.parametrize("query", ["stream=kernel&host=gpu001&line=302", "line=x", "line=301"])
def test_a_line_that_no_explanation_rests_on_is_not_found(
    story: Story, browser: Browser, query: str
) -> None:
    operator = story.people.operator
    place = f"/o/{operator.slug}/incidents/{story.incident().public_id}/lines/?{query}"
    assert browser(operator, MemberRole.VIEWER).get(place).status_code == 404


@pytest.mark.parametrize("reader", ["tenant", "platform"])
def test_no_other_party_is_led_to_the_lines(story: Story, browser: Browser, reader: str) -> None:
    other, operator = getattr(story.people, reader), story.people.operator
    place = around(story).replace(f"/o/{operator.slug}/", f"/o/{other.slug}/")
    assert browser(other).get(place).status_code == 404
    asking = member(other, MemberRole.VIEWER)
    public_id = story.incident().public_id
    query = "stream=kernel&host=gpu001&number=301"
    assert asking.get(f"incidents/{public_id}/log-lines/?{query}").status_code == 404


def test_rest_gives_its_holder_the_lines_around(story: Story) -> None:
    asking = member(story.people.operator, MemberRole.VIEWER)
    place = f"incidents/{story.incident().public_id}/log-lines/"
    told = asking.get(f"{place}?stream=kernel&host=gpu001&number=301").json()
    assert [line["number"] for line in told["lines"]] == list(range(281, 322))
    assert told["cited"] == [301]
    assert told["lines"][20]["text"] == f"2026-11-21T02:00:05+00:00 gpu001 kernel: {XID}"
    assert asking.get(f"{place}?stream=kernel&host=gpu001").status_code == 400
    assert asking.get(f"{place}?stream=kernel&host=gpu001&number=302").status_code == 404


def test_lines_whose_log_went_are_shown_from_what_was_kept_around_the_citation(
    story: Story,
) -> None:
    operator = story.people.operator
    story.retire(AT + RAW)
    with organization_scope(operator.pk):
        assert not LogChunk.objects.for_organization(operator).exists()
    told = member(operator, MemberRole.VIEWER).get(
        f"incidents/{story.incident().public_id}/log-lines/?stream=kernel&host=gpu001&number=301"
    )
    numbers = [line["number"] for line in told.json()["lines"]]
    assert 301 in numbers
    assert len(numbers) > 1
