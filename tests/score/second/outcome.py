"""What a fault says is true of its session, and which logs must or must not be at hand for it."""

from dataclasses import dataclass

from tests.score.truth import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The truth by construction, before names of hosts are known."""

    answers: tuple[Answer, ...] = ()
    places: tuple[int, ...] = ()  # hosts to blame; none: no host is
    kind: str = "host"
    status: str = "named"  # named | unknown | no-failure
    end: str = "failed"
    tells_kernel: tuple[int, ...] = ()  # hosts whose system log carries the proof
    tells_fabric: bool = False
    tells_scheduler: bool = False
    hides: bool = False  # no system, fabric or scheduler's log is at hand
    is_dated: bool = False  # uptimes would not tell a kernel's line from an old one
    telling: str = ""


def named(layer: str, *causes: str) -> tuple[Answer, ...]:
    """Return one right answer: a layer with the causes of it that are right, or any of it."""
    return (Answer(layer=layer, causes=causes),)


def either(*answers: tuple[Answer, ...]) -> tuple[Answer, ...]:
    """Return several right answers."""
    return tuple(one for each in answers for one in each)
