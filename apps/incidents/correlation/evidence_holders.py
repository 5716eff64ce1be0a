"""Whose the facts behind a diagnosis are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from apps.diagnosis.model import (
    Anomaly,
    Event,
    Evidence,
    Stream,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holders:
    """Who holds what a diagnosis was made from."""

    owner_id: int  # the session's tenant: holds what was concluded from many of its own lines
    of_source: Mapping[str, int]  # Origin.source or Anomaly.source → organization
    label: Mapping[str, str]  # the same key → words its holder knows the source by
    reference: Callable[[Event | Anomaly], str]
    # Who sent it does not run what it tells of.
    is_claim: Callable[[Event | Anomaly], bool] = lambda _: False

    def is_others(self, evidence: Evidence) -> bool:
        """Say whether a piece is of who runs the thing, beyond the session's own log."""
        fact = evidence.event or evidence.anomaly
        source = source_of(fact) or evidence.source or ""
        if self.of_source.get(source, self.owner_id) != self.owner_id:
            return True
        is_log = isinstance(fact, Event) and fact.line.origin.stream in {None, Stream.SESSION}
        return fact is not None and not is_log and not self.is_claim(fact)


def source_of(fact: Event | Anomaly | None) -> str | None:
    if isinstance(fact, Event):
        return fact.line.origin.source
    return fact.source if fact else None
