"""Lines around a place: only the chunks that hold some of them are loaded."""

from typing import Any

import pytest

from apps.fleet.models import ParticipationRole
from apps.telemetry.logs.raw_lines import lines_around
from apps.telemetry.models import LogChunk, LogStream
from apps.tenancy.access import Actor, Right
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in, xid
from tests.cast import make

CHUNKS, LINES = 6, 30


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("number", "chunks"), [(1, {1}), (45, {31}), (59, {31, 61}), (61, {31, 61}), (180, {151})]
)
def test_no_chunk_is_loaded_that_holds_none_of_the_lines(
    number: int, chunks: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, cluster = make.organization(), make.cluster()
    make.participation(organization=owner, cluster=cluster, part=ParticipationRole.OPERATOR)
    for part in range(CHUNKS):
        lines = [xid(part * LINES + each, make.AT) for each in range(LINES)]
        come_in(owner, cluster, lines, at=make.AT, stream="kernel", host="gpu001")
    loaded = set()
    read = LogChunk.from_db.__func__  # type: ignore[attr-defined]  # a class method

    def noted(cls: type[LogChunk], *given: Any) -> Any:
        row = read(cls, *given)
        loaded.add(row.first_number)
        return row

    monkeypatch.setattr(LogChunk, "from_db", classmethod(noted))
    with organization_scope(owner.pk):
        actor = Actor(organization=owner, rights=frozenset({Right.READ}))
        stream = LogStream.objects.get()
        found = lines_around(actor=actor, stream_id=stream.pk, number=number, margin=2)
    assert loaded == chunks
    first, last = max(1, number - 2), min(CHUNKS * LINES, number + 2)
    assert [line.number for line in found] == list(range(first, last + 1))
