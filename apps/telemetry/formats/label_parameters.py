"""Labels that a person types into an address or a form: what would tell nothing is refused.

Labels of agents are kept, whatever they are: see `labels`.
"""

from collections.abc import Callable, Mapping, Sequence

from apps.diagnosis import zone_names
from apps.diagnosis.input_values import MOST_RANKS, rank_number, whole_number
from apps.diagnosis.spelling import meant, one_of, shown, wrong_parameters
from apps.telemetry.formats.labels import (
    KNOWN,
    MOST_ATTEMPTS,
    MOST_HOST_LETTERS,
    MOST_SESSION_LETTERS,
    BadLabels,
    kinds,
    meaning,
    names,
)

OWN = "label."  # before the name of a label that the portal doesn't know
ANSWER_LENGTH = 1000


def labels_of(*, parameters: Mapping[str, str]) -> dict[str, str]:
    """Return the labels that parameters say; labels of their own lose the prefix."""
    return {name.removeprefix(OWN): str(value) for name, value in parameters.items()}


def check(*, given: Mapping[str, Sequence[str]]) -> None:
    """Raise BadLabels for a name that is not known, one given twice, and a value that is none."""
    own = {name for name in given if name.startswith(OWN)}
    wrong = wrong_parameters(given=given, known=names() | own)
    told = [_wrong_name(name, words) for name, words in wrong.items()]
    told += [words for name, values in given.items() if (words := _wrong_value(name, values[0]))]
    if told:
        raise BadLabels("; ".join(told)[:ANSWER_LENGTH])


def _wrong_name(name: str, words: str) -> str:
    if name in names() or name.startswith(OWN):
        return f"`{shown(word=name)}`: {words}"
    return (
        f"there is no label `{shown(word=name)}`{meant(word=name, known=names())}; known are "
        f"{', '.join(KNOWN)}; one of your own is written `{OWN}{shown(word=name)}`"
    )


def _wrong_value(name: str, value: str) -> str:
    """Return what is wrong with the value of a label whose values are known; empty: nothing."""
    refusal = CHECKS.get(meaning(name=name))
    words = refusal(value) if refusal and value else ""
    return f"`{name}`: {words}" if words else ""


def _stream(value: str) -> str:
    if value.lower() in kinds():
        return ""
    words = one_of(known=set(kinds().values())) + meant(word=value, known=kinds())
    return f"there is no kind of stream `{shown(word=value)}`; {words}"


def _zone(value: str) -> str:
    return "" if zone_names.is_zone(name=value) else zone_names.refusal(name=value)


def _rank(value: str) -> str:
    return (
        "" if rank_number(value) is not None else f"a rank is a whole number from 0 to {MOST_RANKS}"
    )


def _attempt(value: str) -> str:
    is_one = whole_number(value, most=MOST_ATTEMPTS) is not None
    return "" if is_one else f"an attempt is a whole number from 0 to {MOST_ATTEMPTS}"


def _longer_than(most: int) -> Callable[[str], str]:
    return lambda value: (
        f"it has {len(value):,} characters; at most {most} are taken" if len(value) > most else ""
    )


CHECKS: dict[str, Callable[[str], str]] = {
    "session": _longer_than(MOST_SESSION_LETTERS),
    "host": _longer_than(MOST_HOST_LETTERS),
    "stream": _stream,
    "tz": _zone,
    "rank": _rank,
    "attempt": _attempt,
}
