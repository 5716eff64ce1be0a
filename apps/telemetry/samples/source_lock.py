"""Who may do what with the window of a source while others are at it."""

from apps.tenancy.database.advisory_locks import Lock, hold_shared, try_hold


def has_turn(*, source_id: int) -> bool:
    """Take the source's turn to write until the transaction ends; say no if another has it."""
    return try_hold(Lock.SAMPLE_WINDOW, source_id)


def may_number_anew(*, source_id: int) -> bool:
    """Keep readers out until the transaction ends; say no if somebody reads just now."""
    return try_hold(Lock.SERIES_NUMBERS, source_id)


def hold_numbers(*, source_id: int) -> None:
    """Let series keep their numbers until the transaction ends.

    Labels and samples are two questions: numbered anew in between, one series' samples would come
    out as another's.
    """
    hold_shared(Lock.SERIES_NUMBERS, source_id)
