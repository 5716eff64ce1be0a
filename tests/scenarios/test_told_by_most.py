"""Of what all ranks tell alike nobody was first: a checkpoint that none of them could load."""

import pytest

from apps.diagnosis.model import Diagnosis, VerdictStatus
from apps.offline.report import as_text
from tests.scenarios.told_in_order import EXITED
from tests.scenarios.verdicts import diagnosed

DAMAGED = (
    "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory"
)
FIRST = EXITED.replace("rank      : 5 (local_rank: 5)", "rank      : 2 (local_rank: 2)")


def _rank(number: int, *, error: str = DAMAGED, second: int | None = None) -> str:
    stamp = "" if second is None else f"2026-11-22 13:02:{second:02d},120 - ERROR - "
    return (
        f"[rank{number}]: Traceback (most recent call last):\n"
        f'[rank{number}]:   File "/app/train.py", line 88, in <module>\n'
        f"[rank{number}]:     state = torch.load(path)\n"
        f"[rank{number}]: {stamp}{error}\n"
    )


def _read(**ranks: str) -> Diagnosis:
    files = {
        f"session/gpu-n0{1 + int(name[1:]) // 4}/rank{name[1:]}.log": text
        for name, text in ranks.items()
    }
    return diagnosed(texts={**files, "session/gpu-n01/torchrun.log": FIRST})


def test_no_rank_is_named_where_all_could_not_load_one_checkpoint() -> None:
    found = _read(**{f"r{n}": _rank(n) for n in range(8)})
    assert (found.verdict.status, found.verdict.cause) == (VerdictStatus.LIKELY, "rank-exception")
    assert (found.verdict.culprits, found.first_stopper) == ((), None)
    assert "Stopped first" not in as_text(diagnosis=found)


@pytest.mark.parametrize("error", ["KeyError: 'text'", "ValueError: bad shape"])
def test_a_rank_that_failed_of_its_own_is_still_the_first(error: str) -> None:
    found = _read(**{f"r{n}": _rank(n) for n in (0, 1, 4, 5)}, r2=_rank(2, error=error))
    assert found.first_stopper is not None
    assert found.first_stopper.ranks == (2,)


def test_a_rank_that_told_of_it_long_before_the_others_is_the_first() -> None:
    late = {f"r{n}": _rank(n, second=50) for n in (0, 1, 3, 4, 5, 6, 7)}
    found = _read(**late, r2=_rank(2, second=11))
    assert found.first_stopper is not None
    assert found.first_stopper.ranks == (2,)
    together = {f"r{n}": _rank(n, second=11) for n in (0, 1, 3, 4, 5, 6, 7)}
    assert _read(**together, r2=_rank(2, second=11)).first_stopper is None
