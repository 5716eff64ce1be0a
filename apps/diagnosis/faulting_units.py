"""Which processes faulted on a GPU, and in which of its units."""

from collections.abc import Iterable

from apps.diagnosis.model import Event

# So many processes that fault on one GPU and on no other don't share a bug by chance.
MANY_PROCESSES = 3


def processes_of(events: Iterable[Event]) -> set[str]:
    """Return the numbers of the processes that faults name."""
    return {pid for event in events if (pid := _process(event))}


def units_of(events: Iterable[Event]) -> set[str]:
    """Return the processing units that shader faults name."""
    return {unit for event in events if (unit := unit_of(event))}


def unit_of(event: Event) -> str:
    """Return the processing unit that a shader fault names, empty where it names none."""
    _, _, rest = event.line.text.partition("(GPC ")
    return rest.split(", SM", 1)[0].partition(")")[0]


def _process(event: Event) -> str:
    if event.fields.get("pid"):
        return event.fields["pid"]
    _, _, rest = event.line.text.partition("pid=")
    digits = rest.lstrip("'\"")
    return digits[: len(digits) - len(digits.lstrip("0123456789"))]
