"""Entries of a long story that are put into words once somebody looks at them: few are shown."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Final

from django.utils.translation import get_language, override

from apps.incidents.projection.own_moments import OwnMoment
from apps.web.lanes.elements import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class LineHead:
    """What the moments of one holder and lane have in common on a page."""

    lane: str
    lane_title: str
    layer: str
    owner: str
    initial: str
    language: str
    word: Callable[[OwnMoment], Entry]  # in that language


class StoryLine(Entry):
    """A moment of which what places it is at hand, and its words are made when they are asked for.

    Like every entry it is never changed: what is made of it with other values is a plain one.
    """

    __slots__ = ("head", "moment")
    head: LineHead
    moment: OwnMoment

    is_hidden = False
    is_bare = False
    is_band = False
    stays_in_view = False
    weight = 0.0
    members = ()
    address = ""
    error_holders = ""

    def __new__(cls, **values: Any) -> Entry:  # type: ignore[misc]  # what `replace` makes
        """Return a plain entry."""
        return Entry(**values)

    def __getattr__(self, name: str) -> Any:
        """Put the moment into words, and set what was not asked for before."""
        if name not in WORDED:
            raise AttributeError(name)
        whole = _in_words(self.head, self.moment)
        for each in WORDED:
            object.__setattr__(self, each, getattr(whole, each))
        return getattr(whole, name)

    @property
    def key(self) -> str:
        """Return by what it is named."""
        return str(self.moment.stored.id)

    @property
    def lane_title(self) -> str:
        """Return how its lane is called."""
        return self.head.lane_title

    @property
    def owner(self) -> str:
        """Return whose it is."""
        return self.head.owner

    @property
    def initial(self) -> str:
        """Return the letter of that one."""
        return self.head.initial

    @property
    def host(self) -> str:
        """Return where it was told."""
        return self.moment.stored.host or ""

    @property
    def reference(self) -> str:
        """Return the fact it tells of."""
        return self.moment.stored.reference or ""

    @property
    def signature(self) -> str:
        """Return how the catalog names its line."""
        return self.moment.stored.signature or ""

    @property
    def same(self) -> str:
        """Return the same of whatever tells the same."""
        return self.moment.stored.words


AT_HAND: Final = ("lane", "layer", "role", "at", "ends_at", "count")
WORDED: Final = frozenset(each.name for each in fields(Entry)) - {*AT_HAND, *vars(StoryLine)}


def story_line(moment: OwnMoment, head: LineHead) -> Entry:
    """Return a moment as a line of its story."""
    stored = moment.stored
    line: StoryLine = object.__new__(StoryLine)
    put = object.__setattr__
    put(line, "moment", moment)
    put(line, "head", head)
    put(line, "lane", head.lane)
    put(line, "layer", head.layer)
    put(line, "role", stored.role or "context")
    put(line, "at", stored.at)
    put(line, "ends_at", stored.ends_at)
    put(line, "count", max(int(float(stored.told_count)), 1) if stored.told_count else 1)
    return line


def _in_words(head: LineHead, moment: OwnMoment) -> Entry:
    if (get_language() or "") == head.language:
        return head.word(moment)
    with override(head.language):
        return head.word(moment)
