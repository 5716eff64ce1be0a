"""What a grant speaks of is asked in one place: by its family, its parts, or a class of it."""

from datetime import UTC, datetime

from apps.sharing.grant_values import Grant
from apps.sharing.request_rules import RequestRule
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.values import OrganizationName

AT = datetime(2026, 11, 1, tzinfo=UTC)


def _grant(*rules: SharingRule) -> Grant:
    holder = OrganizationName(id=1, slug="aurora", name="Aurora", mark="A")
    return Grant(
        agreement_id=1, public_id="AGR-1", version=1, holder=holder, reader_id=2, rules=rules
    )


def _rule(data: str) -> SharingRule:
    return SharingRule(data=data, level=Level.FULL)


def _asked(data: str) -> RequestRule:
    return RequestRule(
        data=data,
        level=Level.FULL,
        request="REQ-1",
        starts_at=AT,
        ends_at=AT,
        granted_at=AT,
        until=AT,
    )


def test_a_family_is_spoken_of_by_any_rule_of_it_and_by_none_that_begins_alike() -> None:
    grant = _grant(_rule("metrics:gpu"), _rule("sessions"), _asked("logs:kernel"))

    assert grant.speaks_of("metrics")
    assert grant.speaks_of("sessions")
    assert grant.speaks_of("logs")
    assert not grant.speaks_of("metric")
    assert not grant.speaks_of("changes")


def test_its_parts_are_those_that_rules_name_or_all() -> None:
    some = _grant(_rule("changes:gpu"), _rule("changes:host"), _rule("metrics:*"))

    assert some.parts_of("changes") == frozenset({"gpu", "host"})
    assert some.parts_of("warnings") == frozenset()
    assert some.parts_of("metrics") is None


def test_what_was_asked_for_may_show_other_classes_than_its_own() -> None:
    agreed = _grant(_rule("metrics:storage"))

    assert agreed.may_show("events:gpu", "metrics:storage")
    assert not agreed.may_show("metrics:gpu")
    assert _grant(_asked("logs:kernel")).may_show("events:gpu")
