"""A file that one rank alone lacks is the program's; a mount that is gone is gone for its host."""

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Event, Reading, Role, Verdict, VerdictStatus
from tests.diagnosis.events import after, event, readings, watchdog


def _lack(rank: int, kind: str = "FileNotFoundError") -> Event:
    return event(
        "py-exception-final",
        rank=rank,
        host="n1",
        role=Role.INITIATING,
        number=8 + rank,
        fields={"exc": kind, "msg": "[Errno 2] No such file or directory: '/data/part.json'"},
    )


def _verdict(*told: Event) -> Verdict:
    waits = [watchdog(rank, at=after(600), host="n1") for rank in range(3)]
    read: list[Reading] = readings([*told, *waits])
    return diagnose(readings=read).verdict


def test_a_file_that_one_rank_lacks_while_others_wait_is_possibly_the_programs() -> None:
    verdict = _verdict(_lack(3))
    assert (verdict.status, verdict.cause) == (VerdictStatus.POSSIBLE, "rank-exception")


@pytest.mark.parametrize("told", [(_lack(3), _lack(4)), (_lack(3, "OSError"),)])
def test_what_several_lack_or_a_wider_error_is_nobodys_yet(told: tuple[Event, ...]) -> None:
    assert _verdict(*told).status is VerdictStatus.UNKNOWN
