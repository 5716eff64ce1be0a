"""A story that is looked through once shows in each window what looking anew would show."""

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from apps.web.incident.circumstances.read import with_circumstances
from apps.web.incident.timeline.lane_heads import by_party
from apps.web.incident.timeline.moments import told_in_order
from apps.web.incident.timeline.story import near_stop, story_of
from apps.web.incident.timeline.window import span_of
from apps.web.lanes.density import DENSITY_BARS, draw_density
from apps.web.lanes.elements import Entry
from apps.web.lanes.entry_index import EntryIndex, IndexedTimeline, index_of, place_untimed
from apps.web.lanes.scale import LEFT, RIGHT, Span
from apps.web.lanes.urgency import URGENCY
from tests.cast.make import AT

LANES = ("gpu", "network", "people")


@st.composite
def entries(draw: st.DrawFn, prefix: str = "told") -> tuple[Entry, ...]:
    """Draw a story: entries with and without a time, moments and stretches."""
    # Some share a column of the strip, or an instant.
    times = st.integers(-5_000, 5_000) | st.integers(-9, 9)
    seconds = draw(st.lists(st.none() | times, max_size=30))
    return tuple(
        Entry(
            key=f"{prefix}{number}",
            lane=draw(st.sampled_from(LANES)),
            layer=draw(st.sampled_from(LANES)),
            role=draw(st.sampled_from(("initiating", "cascade", "context"))),
            owner=draw(st.sampled_from(("North", "South", "East"))),
            title=f"moment {number}",
            at=None if second is None else AT + timedelta(seconds=second),
            ends_at=None
            if second is None or draw(st.booleans())
            else AT + timedelta(seconds=second + draw(st.integers(0, 900))),
            count=draw(st.integers(1, 9)),
            is_hidden=draw(st.booleans()) and second is None,
            is_band=draw(st.booleans()),
            stays_in_view=draw(st.booleans()),
        )
        for number, second in enumerate(seconds)
    )


def spans() -> st.SearchStrategy[Span]:
    """Return windows around the stop."""
    return st.tuples(st.integers(-4_000, 4_000), st.integers(1, 4_000)).map(
        lambda pair: Span(
            starts_at=AT + timedelta(seconds=pair[0]),
            ends_at=AT + timedelta(seconds=sum(pair)),
        )
    )


@given(entries(), spans())
def test_a_window_holds_what_stands_in_it_and_counts_the_rest(
    told: tuple[Entry, ...], span: Span
) -> None:
    begin, end = span.starts_at, span.ends_at
    index = EntryIndex(told)
    placed = place_untimed([each for each in told if not each.is_hidden])

    inside = [(at, each) for at, each in placed if at < end and (each.ends_at or at) >= begin]
    before = [each for at, each in placed if (each.ends_at or at) < begin]
    after = [each for at, each in placed if at >= end]
    assert index.within(begin, end) == inside
    assert index.outside(begin, end) == (
        sum(not each.stays_in_view for each in before),
        sum(not each.stays_in_view for each in after),
    )


@given(entries(), spans())
def test_a_column_of_the_strip_takes_its_most_urgent_layer(
    told: tuple[Entry, ...], span: Span
) -> None:
    drawn = draw_density(timeline=IndexedTimeline(told), span=span)
    reach = span.starts_at - timedelta(hours=1), span.ends_at + timedelta(hours=1)
    observed = [
        (each.at, each)
        for each in told
        if each.at and not each.is_band and reach[0] <= each.at <= reach[1]
    ]

    assert (drawn is None) == (not observed)
    for place, members in columns(observed, span).items() if observed else ():
        x = round(LEFT + place * (RIGHT - LEFT) / DENSITY_BARS, 1)
        assert drawn
        (bar,) = [bar for bar in drawn.bars if bar.x == x]
        urgent = min(members, key=lambda each: (URGENCY[each.role], each.at))
        is_told = URGENCY[urgent.role] <= URGENCY["cascade"]
        assert bar.layer == (urgent.layer if is_told else "quiet")


def columns(observed: list[tuple[datetime, Entry]], span: Span) -> dict[int, list[Entry]]:
    """Return which entries stand in which column of the strip."""
    first = min([span.starts_at, *(at for at, _ in observed)])
    last = max([span.ends_at, *(at for at, _ in observed)]) + timedelta(seconds=1)
    found: dict[int, list[Entry]] = {}
    for at, each in observed:
        found.setdefault(int((at - first) / ((last - first) / DENSITY_BARS)), []).append(each)
    return found


@given(entries(), entries("around"), st.integers(1, 12), st.integers(0, 1))
def test_the_first_list_is_what_all_of_the_story_would_begin_with(
    told: tuple[Entry, ...], others: tuple[Entry, ...], limit: int, verdicts: int
) -> None:
    index = index_of(told)
    around = sorted(
        (each for each in others if each.at and each.role != "initiating"),
        key=lambda each: (each.at or AT, each.key),
    )
    is_told = bool(index.by_role.get("initiating"))
    verdict = [Entry(key="verdict", lane="gpu", layer="gpu", role="initiating", title="v", at=AT)]
    verdict = [] if is_told else verdict[:verdicts]

    def shown(part: tuple[Entry, ...] | list[Entry]) -> list[str]:
        for each in verdict:
            part = told_in_order(entries=part, added=each)
        listed = with_circumstances(entries=part, around=around)
        return [each.key for each in story_of(entries=listed, zone=None, limit=limit)]

    by_time = sorted((each for each in told if each.at), key=lambda each: each.at or AT)
    ordered = index_of(tuple(by_time))
    near = near_stop(ordered, verdict=verdict, limit=limit)
    assert shown([*near]) == shown(by_time)


@given(entries(), entries("around"), spans())
def test_what_stands_around_a_story_is_shown_as_if_the_story_told_it(
    told: tuple[Entry, ...], around: tuple[Entry, ...], span: Span
) -> None:
    by_time = tuple(sorted((each for each in told if each.at), key=lambda each: each.at or AT))
    beside = sorted((each for each in around if each.at), key=lambda each: each.at or AT)
    apart = IndexedTimeline(by_time, beside)
    whole = IndexedTimeline(with_circumstances(entries=by_time, around=beside))

    def window(timeline: IndexedTimeline) -> tuple[object, ...]:
        found = [each for part in timeline.parts for each in part.within(*reach)]
        counts = [part.outside(*reach) for part in timeline.parts]
        return sorted(each.key for _, each in found), *map(sum, zip(*counts, strict=True))

    reach = span.starts_at, span.ends_at
    assert window(apart) == window(whole)
    assert draw_density(timeline=apart, span=span) == draw_density(timeline=whole, span=span)
    assert by_party(apart, elsewhere={}) == by_party(whole, elsewhere={})
    for name in ("", "all", "30m"):
        shown = [span_of(name=name, entries=each, failed_at=None) for each in (apart, whole)]
        assert shown[0] == shown[1]
    for role in ("initiating", "cascade"):
        roles = [sorted(each.key for each in one.of_role(role)) for one in (apart, whole)]
        assert roles[0] == roles[1]


def test_of_what_is_as_urgent_in_a_column_the_earliest_gives_its_layer() -> None:
    told = Entry(key="a", lane="gpu", layer="gpu", role="cascade", title="a", at=AT)
    before = Entry(
        key="b",
        lane="network",
        layer="network",
        role="cascade",
        title="b",
        at=AT - timedelta(seconds=1),
    )
    span = Span(starts_at=AT - timedelta(seconds=1), ends_at=AT + timedelta(hours=4))
    drawn = draw_density(timeline=IndexedTimeline((told,), [before]), span=span)
    assert drawn
    assert [bar.layer for bar in drawn.bars] == ["network"]


def test_a_party_that_tells_no_time_has_the_last_lane() -> None:
    told = (
        Entry(key="a", lane="gpu", layer="gpu", role="cascade", title="a", at=AT, owner="North"),
    )
    held = Entry(
        key="h", lane="gpu", layer="gpu", role="context", title="h", owner="East", is_hidden=True
    )
    before = Entry(
        key="b",
        lane="changes",
        layer="quiet",
        role="change",
        title="b",
        at=AT - timedelta(hours=1),
        owner="South",
    )
    heads = by_party(IndexedTimeline(told, [held, before]), elsewhere={})
    assert [head.key for head in heads] == ["South", "North", "East"]


def test_a_story_is_looked_through_once_for_all_windows_and_whatever_stands_around_it() -> None:
    told = (Entry(key="a", lane="gpu", layer="gpu", role="cascade", title="a", at=AT),)
    saved = Entry(key="s", lane="storage", layer="storage", role="progress", title="s", at=AT)
    assert IndexedTimeline(told).told is IndexedTimeline(told, [saved]).told


def test_what_begins_without_a_time_stands_where_its_neighbour_does() -> None:
    untimed = Entry(key="a", lane="gpu", layer="gpu", role="cascade", title="a")
    verdict = Entry(key="v", lane="gpu", layer="gpu", role="initiating", title="v", at=AT)
    timeline = IndexedTimeline((untimed,), [verdict])
    span = (AT - timedelta(seconds=1), AT + timedelta(seconds=1))
    found = [each.key for part in timeline.parts for _, each in part.within(*span)]
    assert sorted(found) == ["a", "v"]
