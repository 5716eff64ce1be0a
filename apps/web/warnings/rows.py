"""Episodes of metrics as lines of a list, with what they were followed by."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import statement_of
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.shared_values import SharedWarning
from apps.incidents.words import culprit, spoken, title_of
from apps.sharing.terms import Level
from apps.telemetry.values import EpisodeView
from apps.web import words
from apps.web.display.instants import day_text
from apps.web.display.layers import layer_mark
from apps.web.display.levels import shared_mark
from apps.web.display.probability import odds_of
from apps.web.logs.place import written
from apps.web.warnings.page import FamilyFinding, WarningRow
from apps.wording import READERS, names, said
from apps.wording.amounts import amount
from apps.wording.kinds.measurements import happened

# What breaks this long after a warning may well be what it warned of.
FOLLOWS_WITHIN = timedelta(hours=24)
# Metrics show some scrapes later what broke something at once.
SHOWN_LATER = timedelta(minutes=5)
SHOWN = 4
CHART_MARGIN = timedelta(minutes=10)
# What detectors call the kind of part they looked at: no name of a mount, a bank or a code.
MEASURED_ON = frozenset({"", "part", "node", "exporter", "session"})


def warning_row(
    *, episode: EpisodeView, headers: Sequence[IncidentHeader], now: datetime
) -> WarningRow:
    """Return an episode as one line; `headers` are incidents that the reader may see."""
    followed = _followed(episode, headers)
    lead = _lead(episode, followed)
    return WarningRow(
        public_id=episode.public_id,
        title=_title(episode),
        part=part_name(episode),
        when=day_text(episode.raised_at, now=now),
        length=_length(episode, now=now),
        layer=layer_mark(episode.layer),
        score=odds_of(episode.score),
        is_fatal=episode.is_fatal,
        state=_state(episode),
        findings=tuple(_finding(each, episode) for each in episode.contributions[:SHOWN]),
        more_count=max(len(episode.contributions) - SHOWN, 0),
        incident=followed.incident.public_id if followed else "",
        incident_title=title_of(followed) if followed else "",
        lead=lead,
        cluster=episode.cluster.name,
        cluster_slug=episode.cluster.slug,
        host=episode.host,
    )


def shared_warning_row(
    *, shown: SharedWarning, headers: Sequence[IncidentHeader], now: datetime
) -> WarningRow:
    """Return what another party shows of a warning as one line."""
    row = warning_row(episode=shown.episode, headers=headers, now=now)
    is_signal = shown.shared.level is Level.SIGNAL
    part = "" if is_signal else row.part
    # A name that stands for a host leads to no page, and their metrics to no chart.
    findings = tuple(replace(each, chart="") for each in row.findings)
    mark = shared_mark(shown.shared)
    return replace(row, shared=mark, part=part, host="", findings=findings)


def part_name(episode: EpisodeView) -> str:
    """Return the part that is in trouble, and how many hosts show it."""
    entity = episode.entity
    device = {**entity, "gpu": {key: entity.get(key) for key in ("index", "uuid", "pci")}}
    name = culprit(device)
    count = len(episode.hosts)
    if count < 2:
        return name
    told = ngettext("%(part)s, seen on %(n)s host", "%(part)s, seen on %(n)s hosts", count)
    return told % {"part": name, "n": count}


def _title(episode: EpisodeView) -> str:
    """Return one sentence: what it may be, where a cause is inferred never what it is."""
    if not episode.host and episode.statement:
        return words.sentence_case(said(statement_of(episode.statement)))
    if episode.causes:
        name = words.inside(spoken(episode.causes[0]).name)
        may_be = _("Consistent with %(cause)s at %(part)s")
        return may_be % {"cause": name, "part": part_name(episode)}
    left = _("%(part)s left what is usual") % {"part": part_name(episode)}
    return words.sentence_case(left)


def _finding(told: Mapping[str, Any], episode: EpisodeView) -> FamilyFinding:
    signal = catalog().signals.get(told["signal"])
    name = _(signal.title) if signal else told["signal"]
    is_named = told["detail"] not in MEASURED_ON
    detail = f" ({told['detail']})" if is_named else ""
    return FamilyFinding(
        family=family_name(told["family"]),
        text=f"{name}{detail}: {happened(told['kind'], told['signal'], READERS)}",
        numbers=_numbers(told),
        chart=_chart(told["signal"], episode) if signal and episode.host else "",
    )


def _chart(signal: str, episode: EpisodeView) -> str:
    """Return what asks for a signal of the part, from before it left the usual to after."""
    until = (episode.ends_at or episode.told_at) + CHART_MARGIN
    asked = {
        "signal": signal,
        "host": episode.host,
        "from": written(episode.starts_at - CHART_MARGIN),
        "until": written(until),
    }
    return urlencode(asked)


def family_name(slug: str) -> str:
    """Return what a family of metrics is called: NVLink, Row remap."""
    return words.sentence_case(READERS.translate(names.family(slug)))


def _numbers(told: Mapping[str, Any]) -> str:
    unit = told["unit"]
    if unit in {"code", "flag", "state", "bits"}:
        return ""  # its number is a name
    value, usual = _amount(told["value"], unit), _amount(told["baseline"], unit)
    if not value or not usual:
        return value
    return _("%(value)s, usually %(usual)s") % {"value": value, "usual": usual}


def _amount(value: float | None, unit: str) -> str:
    return amount(value, unit, translate=READERS.translate)


def _followed(episode: EpisodeView, headers: Sequence[IncidentHeader]) -> IncidentHeader | None:
    """Return the first incident on the same part that began after the findings did."""
    until = (episode.ends_at or episode.raised_at) + FOLLOWS_WITHIN
    hosts = {episode.host} - {""}
    names = {str(episode.entity.get("name", ""))} - {""} if not episode.host else set()
    near = [
        header
        for header in headers
        if header.incident.started_at is not None
        and episode.starts_at - SHOWN_LATER <= header.incident.started_at <= until
        and any(
            device.get("host") in hosts or (not hosts and device.get("name") in names)
            for device in header.culprits or ()
        )
    ]
    return min(near, key=lambda each: (each.incident.started_at, each.incident.id), default=None)


def _lead(episode: EpisodeView, followed: IncidentHeader | None) -> str:
    if followed is None or followed.incident.started_at is None:
        return ""
    seconds = (followed.incident.started_at - episode.raised_at).total_seconds()
    if seconds <= 0:
        return _("raised %(age)s after it broke") % {"age": words.duration(-seconds)}
    return _("raised %(age)s before it broke") % {"age": words.duration(seconds)}


def _state(episode: EpisodeView) -> str:
    if episode.withdrawn_at:
        return _("withdrawn")
    return _("over") if episode.ends_at else _("goes on")


def _length(episode: EpisodeView, *, now: datetime) -> str:
    """Return how long it lasted from when it was raised, which is the time shown beside it;
    nothing for what a single sample tells.
    """
    seconds = ((episode.ends_at or now) - episode.raised_at).total_seconds()
    return words.duration(seconds) if seconds >= 60 else ""
