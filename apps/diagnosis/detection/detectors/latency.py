"""Local disks that take many times as long for a request as they did, and tasks that wait for them.

How long a disk is busy follows its load; how long it takes for one request hardly does. So the
time of all requests is divided by their number, over ten minutes. A disk that is slow is told
apart from tasks that wait for it: the disk's counters say the one, the scheduler's pressure the
other, and a slow disk that nobody waits for is a circumstance. Where many hosts' disks become slow
at once, the cause is what they share, and nothing is told here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.baselines.learned_levels import LearnedLevels
from apps.diagnosis.detection.detector_state.levels import grown
from apps.diagnosis.detection.detector_state.peer_levels import LEAST_HOSTS
from apps.diagnosis.detection.detector_state.persistence import Spell, held_for, over, spells
from apps.diagnosis.detection.detector_state.row_findings import told
from apps.diagnosis.model import Anomaly, AnomalyKind, Detector, Device, Frame, Notes, Role, Scene

TIMES, COUNTS = ("disk.read_time", "disk.write_time"), ("disk.reads", "disk.writes")
PRESSURE = "node.pressure.io"
# Looked at over this span, if so many requests were made in it: a mean of few says nothing.
SPAN_SECONDS, LEAST_REQUESTS = 600.0, 60.0
# Usual is learnt over a day, so that a disk that becomes slow within hours is not its own measure.
LEARNT_SECONDS, KNOWN_SECONDS = 86_400.0, 7_200.0
# A request takes so many times its usual time, and so many seconds more than it.
SLOW, SLOW_SECONDS = 3.0, 0.001
# Tasks wait so many times as long as usual, and for so much more of the time.
WAITS, WAITS_SHARE = 2.0, 0.03
# A scrub, a trim or a flush of caches is over within an hour.
HELD_SECONDS, HELD_SHARE, EPISODE_GAP_SECONDS = 2_700.0, 0.75, 1_800.0
# Beyond this share of the hosts (and three of them) it is what they share.
SHARED_SHARE = 0.2


def _notice(frames: Sequence[Frame], _scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    named = {frame.signal.name: frame for frame in frames}
    times = [named[name] for name in TIMES if name in named]
    counts = [named[name] for name in COUNTS if name in named]
    if len(times) < len(TIMES) or len(counts) < len(COUNTS):
        return ()
    first = times[0]
    if any(_grid(each) != _grid(first) for each in (*times, *counts)):
        return ()
    took = _time_a_request(times, counts, notes)
    usual, slow = _beyond(notes, "latency/disks", first, took, (SLOW, SLOW_SECONDS))
    slow &= ~_is_shared(first.entities, slow)
    found = list(_told(first, slow, took, usual, notes))
    pressure = named.get(PRESSURE)
    if pressure is not None and _grid(pressure) == _grid(first):
        found += _waiting(pressure, first.entities, slow, notes)
    return tuple(found)


def _grid(frame: Frame) -> tuple[float, float, int]:
    return frame.start, frame.step, frame.values.shape[1]


def _time_a_request(times: Sequence[Frame], counts: Sequence[Frame], notes: Notes) -> stats.Floats:
    """Return the mean time of the requests in the span before each column, NaN of too few."""
    first = times[0]
    spent = sum(_recent(each, first, notes) for each in times)
    made = sum(_recent(each, first, notes) for each in counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        took: stats.Floats = np.where(made >= LEAST_REQUESTS, spent / made, np.nan)
    return took


def _recent(frame: Frame, like: Frame, notes: Notes) -> stats.Floats:
    """Return the growth of the counter in the span before each column, in the rows of `like`."""
    growth, _, _ = grown(frame, notes)
    subject, width = f"latency/{frame.signal.name}", over(SPAN_SECONDS, frame)
    joined = array_store.with_tail(notes, subject, "growth", growth, columns=width - 1, fill=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(np.nan_to_num(joined), width, axis=1)
    recent = np.concatenate((windows.sum(axis=-1), np.full((1, growth.shape[1]), np.nan)))
    place = {entity: row for row, entity in enumerate(frame.entities)}
    in_order: stats.Floats = recent[[place.get(entity, -1) for entity in like.entities]]
    return in_order


def _beyond(
    notes: Notes, subject: str, frame: Frame, values: stats.Floats, least: tuple[float, float]
) -> tuple[stats.Floats, stats.Mask]:
    """Return what is usual of each value, and where it is so many times and so much above that.

    Usual is what was learnt before, while it was not beyond.
    """
    times, more = least
    learnt = LearnedLevels(notes, subject, len(values), frame.step)
    usual, hot = np.full(values.shape, np.nan), np.zeros(values.shape, dtype=np.bool_)
    for column in range(values.shape[1]):
        now = values[:, column]
        usual[:, column] = learnt.known(KNOWN_SECONDS)
        with np.errstate(invalid="ignore"):
            hot[:, column] = (now > times * usual[:, column]) & (now - usual[:, column] > more)
        learnt.take(now, ~hot[:, column] & ~np.isnan(now), LEARNT_SECONDS)
    learnt.keep()
    return usual, hot


def _is_shared(entities: Sequence[Device], slow: stats.Mask) -> stats.Mask:
    """Say at which columns the disks of many hosts are slow."""
    of_hosts, hosts = _of_hosts(entities, slow)
    count = of_hosts.sum(axis=0)
    shared: stats.Mask = (count >= LEAST_HOSTS) & (count > SHARED_SHARE * len(hosts))
    return shared


def _of_hosts(
    entities: Sequence[Device], hot: stats.Mask
) -> tuple[stats.Mask, Mapping[str | None, int]]:
    """Return where any row of each host is hot, and the row of each host in that."""
    hosts = {host: row for row, host in enumerate(dict.fromkeys(each.host for each in entities))}
    found = np.zeros((len(hosts), hot.shape[1]), dtype=np.bool_)
    np.logical_or.at(found, [hosts[each.host] for each in entities], hot)
    return found, hosts


def _waiting(
    pressure: Frame, disks: Sequence[Device], slow: stats.Mask, notes: Notes
) -> Iterator[Anomaly]:
    """Yield where tasks wait for input and output longer than usual while a disk is slow."""
    share = _recent(pressure, pressure, notes) / SPAN_SECONDS
    usual, waits = _beyond(notes, "latency/tasks", pressure, share, (WAITS, WAITS_SHARE))
    of_hosts, hosts = _of_hosts(disks, slow)
    nothing = np.zeros((1, slow.shape[1]), dtype=np.bool_)
    by_row = np.concatenate((of_hosts, nothing))
    rows = [hosts.get(entity.host, -1) for entity in pressure.entities]
    yield from _told(pressure, waits & by_row[rows], share, usual, notes)


def _told(
    frame: Frame, hot: stats.Mask, values: stats.Floats, usual: stats.Floats, notes: Notes
) -> Iterator[Anomaly]:
    rule = held_for(frame, seconds=HELD_SECONDS, share=HELD_SHARE, gap_seconds=EPISODE_GAP_SECONDS)
    subject = f"latency/{frame.signal.name}"
    for spell in spells(notes, subject, frame, hot, rule, (values, usual)):
        yield _anomaly(frame, spell)


def _anomaly(frame: Frame, spell: Spell) -> Anomaly:
    value, usual = spell.means
    kind = SLOW_DISK.name if frame.signal.name in TIMES else WAITED.name
    found = told(frame, spell, kind=kind, score=1 - usual / value, value=value, baseline=usual)
    # Beside its own past and that of the other hosts it speaks.
    return replace(found, unit="seconds", role=Role.CONFIRMATION)


SLOW_DISK = AnomalyKind(
    name="slow-disk",
    did="takes many times as long for a request as it did",
    sentence="A disk takes many times as long for a request as it did",
    weight=3.0,
    is_of_own_past=True,
    is_lasting=True,
)
WAITED = AnomalyKind(
    name="waiting-for-disk",
    did="waits for a slow disk",
    sentence="Tasks wait for a slow disk",
    weight=3.0,
    is_of_own_past=True,
    is_lasting=True,
)
LATENCY = Detector(
    name="latency",
    meaning="a local disk takes many times its usual time for a request",
    notice=_notice,
    kinds=(SLOW_DISK, WAITED),
    order=13,
)
