"""What a fault of the first generator says about itself once it has been played."""

from dataclasses import dataclass

from tests.score.truth import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a fault says about itself once it has been played."""

    answers: tuple[Answer, ...] = ()  # any of them is right
    hosts: tuple[int, ...] = ()  # places of the hosts to blame; empty: no host is to blame
    kind: str = "program"  # of the culprit
    end: str = "failed"
    status: str = "named"  # named | unknown | no-failure
    needs_kernel: tuple[int, ...] = ()  # hosts whose kernel log carries the proof
    hides: tuple[int, ...] = ()  # hosts whose kernel logs must be absent
    is_rebooted: bool = False  # the proof stands before a boot: the log must outlive it
    needs_dates: bool = False  # uptimes alone would not tell when
    needs_scheduler: bool = False
    hides_scheduler: bool = False
    hides_all_kernels: bool = False
    telling: str = ""
