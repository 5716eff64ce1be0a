"""Which lines of a held log a signature recognised, and what each says."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from apps.telemetry.held_logs.values import LineMark
from apps.telemetry.models import Event, LogStream


def marks_of(*, stream: LogStream, numbers: Sequence[int]) -> Mapping[int, tuple[LineMark, ...]]:
    """Return number → marks of these lines, those that were recognised alone. Needs the scope."""
    if not numbers:
        return {}
    own = Event.objects.for_organization(stream.organization_id).filter(stream=stream)
    near = own.filter(order_key__gte=min(numbers), order_key__lte=max(numbers))
    found: defaultdict[int, list[LineMark]] = defaultdict(list)
    wanted = frozenset(numbers)
    for row in near.order_by("order_key", "id"):
        if row.order_key in wanted:
            found[row.order_key].append(_mark(row))
    return {number: tuple(marks) for number, marks in found.items()}


def _mark(row: Event) -> LineMark:
    return LineMark(
        signature=row.signature,
        fields=row.body["fields"],
        layer=row.layer,
        role=row.role,
        severity=row.severity,
        reference=f"stream:{row.stream_id}/{row.order_key}",
    )
