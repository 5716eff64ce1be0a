"""What views send of plain values, and which entries they take."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from apps.api.v1.filters import SpanFilterSerializer
from apps.api.v1.serializers.fields import NameField, WordField
from apps.api.v1.serializers.fleet.participation import ProposalSerializer
from apps.api.v1.serializers.incident.annotations import (
    AnnotationEntrySerializer,
    AnnotationSerializer,
)
from apps.api.v1.serializers.incident.evidence import KeptSerializer
from apps.api.v1.serializers.incident.timeline import BareTimelineSerializer
from apps.api.v1.serializers.listing import sent
from apps.fleet.models import ProposalState
from apps.incidents.projection.values import AnnotationVersion
from apps.tenancy.values import OrganizationName

AT = datetime(2026, 11, 21, 2, tzinfo=UTC)
LATER = AT + timedelta(minutes=5)
OWN = OrganizationName(id=1, slug="aurora", name="Aurora", mark="A")
NOTE = AnnotationVersion(
    id=1,
    public_id="NOTE-1",
    version=1,
    organization=OWN,
    author_name="ann",
    text="cable replaced",
    lane="",
    starts_at=None,
    ends_at=None,
    answers="",
    mentioned_parties=(),
    audience=(3, 2, 9),
    is_withdrawn=False,
    created_at=AT,
)


@pytest.mark.parametrize(("reader", "audience"), [(1, ["meridian", "zenith"]), (2, None)])
def test_who_else_reads_an_annotation_is_its_authors_business(
    reader: int, audience: list[str] | None
) -> None:
    context = {"reader": reader, "slugs": {2: "meridian", 3: "zenith"}, "unread": None}  # 9 left
    assert sent(AnnotationSerializer, [NOTE], context)[0]["audience"] == audience


@pytest.mark.parametrize(
    ("starts_at", "ends_at", "is_taken"),
    [
        (None, None, True),
        (AT, None, True),
        (AT, LATER, True),
        (AT, AT, True),
        (LATER, AT, False),
        (None, AT, False),
    ],
)
def test_an_annotation_ends_where_it_starts_or_later(
    starts_at: datetime | None, ends_at: datetime | None, *, is_taken: bool
) -> None:
    said = {"text": "x", "starts_at": starts_at, "ends_at": ends_at}
    assert AnnotationEntrySerializer(data=said).is_valid() is is_taken


class Span(SpanFilterSerializer):
    """A list that is narrowed by time."""

    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)


@pytest.mark.parametrize(
    ("said", "is_taken"),
    [
        ({}, True),
        ({"since": AT}, True),
        ({"until": AT}, True),
        ({"since": AT, "until": LATER}, True),
        ({"since": AT, "until": AT}, False),
        ({"since": LATER, "until": AT}, False),
    ],
)
def test_a_span_in_which_nothing_can_lie_is_refused(
    said: dict[str, datetime], *, is_taken: bool
) -> None:
    assert Span(data=said).is_valid() is is_taken


@pytest.mark.parametrize(
    ("state", "expires_at", "told"),
    [
        (ProposalState.OPEN, LATER, "open"),
        (ProposalState.OPEN, AT, "expired"),
        (ProposalState.ACCEPTED, AT, "accepted"),
    ],
)
def test_a_proposal_that_nobody_answered_in_time_is_expired(
    state: ProposalState, expires_at: datetime, told: str
) -> None:
    row: Any = SimpleNamespace(state=state, expires_at=expires_at)
    assert ProposalSerializer(context={"now": AT}).get_state(row) == told


@pytest.mark.parametrize(("at", "step"), [([], None), ([10.0], None), ([10.0, 25.0], 15.0)])
def test_values_are_a_step_apart_where_there_are_two(at: list[float], step: float | None) -> None:
    chart: Any = SimpleNamespace(at=at)
    assert KeptSerializer().get_step_seconds(chart) == step


def test_a_moment_says_where_it_was_and_of_whom_but_no_row_of_ours() -> None:
    entry: Any = SimpleNamespace(
        detail={"host": "gpu017", "reference": {"host": "gpu017", "number": 7}, "code": {}},
        organization_id=1,
    )
    serializer = BareTimelineSerializer(context={"parties": {1: OWN}})
    assert serializer.get_detail(entry) == {"host": "gpu017"}
    assert serializer.get_organization(entry) == "aurora"
    entry.organization_id = 2
    assert serializer.get_organization(entry) is None


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[2J", "a\u202eb"])
def test_a_name_holds_nothing_that_a_terminal_obeys(name: str) -> None:
    assert NameField().run_validation("rack 7 é") == "rack 7 é"
    with pytest.raises(ValidationError):
        NameField().run_validation(name)


def test_a_word_that_is_none_of_them_is_refused_with_the_nearest() -> None:
    field = WordField(choices=["open", "resolved"])
    assert field.run_validation("open") == "open"
    with pytest.raises(ValidationError, match="did you mean `resolved`"):
        field.run_validation("resolvd")
    with pytest.raises(ValidationError, match="required"):
        field.run_validation(serializers.empty)
