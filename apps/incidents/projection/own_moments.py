"""Moments that are read as they are stored: few of a long story are looked at closely."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Final

from apps.incidents.projection.values import TimelineMoment
from apps.incidents.story_reading.stored_moments import StoredMoment

NAMES: Final = frozenset(each.name for each in fields(TimelineMoment))


class OwnMoment(TimelineMoment):
    """A moment whose values are taken from where it is stored when somebody asks for them."""

    __slots__ = ("stored",)
    stored: StoredMoment

    def __getattr__(self, name: str) -> Any:
        """Set a value that was not asked for before."""
        if name not in NAMES:
            raise AttributeError(name)
        value = None if name == "shared" else getattr(self.stored, name)
        object.__setattr__(self, name, value)
        return value


def own_moments(entries: Iterable[StoredMoment]) -> tuple[TimelineMoment, ...]:
    """Return the moments of these entries."""
    return tuple(map(_own, entries))


def _own(entry: StoredMoment) -> OwnMoment:
    made = object.__new__(OwnMoment)
    object.__setattr__(made, "stored", entry)
    # What every reader of a story asks of each.
    object.__setattr__(made, "kind", entry.kind)
    object.__setattr__(made, "role", entry.role)
    return made
