"""What one request may hold at most."""

from apps.telemetry.formats.lines.complaints import TooBig

# Of one body: senders send 10,000 rows at most unless they are told otherwise.
SERIES_LIMIT = 60_000
SAMPLES_LIMIT = 300_000
SYMBOLS_LIMIT = 150_000
FIELDS_LIMIT = SERIES_LIMIT + SYMBOLS_LIMIT
# Of all series together: each is read, sorted and written anew, in more than a microsecond.
ALL_LABELS_LIMIT = 600_000
# What is read field by field, which takes a microsecond each.
SLOW_FIELDS_LIMIT = SAMPLES_LIMIT + 3 * SERIES_LIMIT


def limited(count: int, limit: int, what: str) -> None:
    """Raise TooBig where there is more of something than one body may hold."""
    if count > limit:
        raise TooBig(f"the body has more than {limit} {what}; send it in parts")
