"""How a stored fact is named by who cites it."""

from apps.diagnosis.input_values import MOST_ROWS, whole_number


def line_place(*, reference: str) -> tuple[int, int] | None:
    """Return stream and number of a line by its reference, `stream:<id>/<line number>`."""
    kind, _, rest = reference.partition(":")
    first, _, last = rest.partition("/")
    stream_id, number = (whole_number(each, most=MOST_ROWS) for each in (first, last))
    if kind != "stream" or stream_id is None or number is None:
        return None
    return stream_id, number
