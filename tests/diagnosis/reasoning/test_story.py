"""The timeline of a stop is short: what many said alike is one moment."""

from datetime import UTC, datetime, timedelta

from apps.diagnosis.model import (
    Event,
    Layer,
    LogLine,
    Observation,
    Origin,
    Role,
    Severity,
    Stream,
    statement,
)
from apps.diagnosis.reasoning.explanation.story.timeline import MOST, timeline
from apps.wording import in_english

AT = datetime(2026, 3, 5, 8, 0, tzinfo=UTC)


def _told(
    sign: str,
    *,
    host: str = "n01",
    role: Role = Role.CONFIRMATION,
    severity: Severity = Severity.ERROR,
    after: float = 0.0,
    standing: str = "joined",
    number: int = 1,
) -> Observation:
    origin = Origin(source=f"{host}.log", stream=Stream.SESSION, host=host)
    line = LogLine(origin=origin, number=number, text=sign, at=AT + timedelta(seconds=after))
    event = Event(
        signature=sign.removeprefix("finding:"),
        role=role,
        layer=Layer.SOFTWARE,
        severity=severity,
        line=line,
    )
    return Observation(
        sign=sign,
        role=role,
        layer=Layer.SOFTWARE,
        at=line.at,
        last_at=line.at,
        host=host,
        hosts=(host,),
        ranks=(int(host[1:]),),
        events=(event,),
        standing=standing,
        statement=statement("text", text=f"says {sign}"),
    )


def _texts(observations: list[Observation]) -> list[str]:
    return [
        in_english(one.statement)
        for one in timeline(observations=observations, first=None, failed_at=None, doubts={})
    ]


def test_what_thirty_hosts_said_alike_is_one_moment_with_its_span_and_ranks() -> None:
    told = [_told("exit", host=f"n{number:02}", after=number) for number in range(1, 31)]
    (moment,) = timeline(observations=told, first=None, failed_at=None, doubts={})
    assert in_english(moment.statement) == "says exit on 30 hosts"
    assert (moment.count, moment.host, moment.ranks) == (30, None, tuple(range(1, 31)))
    assert (moment.at, moment.ends_at) == (
        AT + timedelta(seconds=1),
        AT + timedelta(seconds=30),
    )


def test_the_same_again_after_a_pause_is_another_moment() -> None:
    assert len(_texts([_told("exit"), _told("exit", after=3600, number=2)])) == 2


def test_lines_without_trouble_are_left_out() -> None:
    plain = _told("channels", role=Role.CONTEXT, severity=Severity.INFO)
    assert _texts([plain, _told("exit")]) == ["says exit"]


def test_a_finding_that_repeats_its_line_is_not_told_twice() -> None:
    assert _texts([_told("bus-error"), _told("finding:bus-error")]) == ["says bus-error"]


def test_a_beginning_that_was_left_out_is_told_as_circumstance() -> None:
    old = _told("xid", role=Role.INITIATING, standing="old")
    (moment,) = timeline(observations=[old], first=None, failed_at=None, doubts={})
    assert moment.role is Role.CONTEXT


def test_a_crowd_of_signs_never_hides_beginnings_and_their_cascade() -> None:
    crowd = [_told(f"sign-{number}") for number in range(200)]
    begun = [_told("gone", role=Role.INITIATING), _told("peer", role=Role.CASCADE)]
    said = timeline(observations=[*crowd, *begun], first=None, failed_at=AT, doubts={})
    assert len(said) == MOST
    assert {"says gone", "says peer", "The session began to fail"} <= {
        in_english(one.statement) for one in said
    }
