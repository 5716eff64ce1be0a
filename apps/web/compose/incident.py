"""An incident as one party reads it, as its page shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from apps.incidents import words as naming
from apps.incidents.models import Annotation
from apps.incidents.reading import IncidentHeader, IncidentView, PartyView
from apps.incidents.words import session_name, title_of
from apps.web import saying, words
from apps.web.compose import hypotheses, story
from apps.web.compose.basics import coverage_strip, instant, layer_mark, probability
from apps.web.first import draw_order
from apps.web.lanes.draw import draw
from apps.web.lanes.parts import Drawing, Entry
from apps.web.pages import (
    ActionRow,
    Chart,
    Choice,
    IncidentPage,
    NoteRow,
    NoteVersion,
    Party,
    VerdictStrip,
)

SETTLE = timedelta(minutes=5, seconds=30)
GROUPS = (
    ("layer", gettext_noop("By layer")),
    ("party", gettext_noop("By party")),
    ("list", gettext_noop("List")),
)
SPAN_NAMES = (
    ("2m", gettext_noop("2 min")),
    ("", gettext_noop("The stop")),
    ("30m", gettext_noop("30 min")),
    ("2h", gettext_noop("2 h")),
    ("all", gettext_noop("All")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the address asks for."""

    group: str = "layer"
    span: str = ""
    shows_all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """What the reader may do, and the clock on the wall."""

    can_write: bool
    may_resolve: bool
    now: datetime
    zone: ZoneInfo | None


def compose(
    *,
    view: IncidentView,
    histories: Mapping[str, Sequence[Annotation]],
    charts: tuple[Chart, ...],
    wish: Wish,
    reader: Reader,
) -> IncidentPage:
    """Return everything that the page of an incident shows."""
    header, incident = view.header, view.header.incident
    speakers = story.Speakers(by_id={p.organization.pk: p.organization for p in header.parties})
    told = story.with_chiefs(
        entries=story.entries_of(rows=view.timeline, speakers=speakers),
        layer=incident.layer,
        hosts={str(device["host"]) for device in header.culprits or () if device.get("host")},
    )
    entries = [*_with_verdict(told=story.fold(told), view=view), *_stubs(view)]
    cards, ruled_out = hypotheses.board(hypotheses=view.hypotheses, header=header)
    limit = None if wish.shows_all else story.SHOWN
    lines = story.story_of(entries=entries, zone=reader.zone, limit=limit)
    is_open = incident.status == "open"
    acting = [party for party in header.parties if party.acts]
    return IncidentPage(
        public_id=incident.public_id,
        title=title_of(header),
        lead=lead_of(view),
        restart=restart_of(header),
        status=incident.status,
        status_note=_status_note(header),
        is_open=is_open,
        is_settled=not header.is_collecting,
        is_unknown=incident.verdict_status == "unknown",
        settles_at=instant(incident.detected_at + SETTLE, zone=reader.zone, now=reader.now)
        if header.is_collecting
        else None,
        revision=incident.revision,
        poll_query=f"?group={wish.group}&span={wish.span}&seen={incident.revision}",
        session_name=session_name(header),
        session_id=header.attempts[0].session.public_id if header.attempts else "",
        cluster=incident.cluster.name if incident.cluster else "",
        broke_at=instant(incident.started_at, zone=reader.zone, now=reader.now)
        if incident.started_at
        else None,
        ball=words.joined([party.organization.name for party in acting]) if is_open else "",
        ball_since=replace(
            instant(incident.detected_at, zone=reader.zone),
            text=clock_length(reader.now - incident.detected_at),
        )
        if is_open and acting
        else None,
        parties=tuple(_party(party=party, zone=reader.zone) for party in header.parties),
        verdict=_verdict(header),
        drawing=_drawing(entries=entries, view=view, wish=wish, zone=reader.zone),
        groups=_choices(GROUPS, name="group", chosen=wish.group, other=("span", wish.span)),
        spans=_choices(SPAN_NAMES, name="span", chosen=wish.span, other=("group", wish.group)),
        order=draw_order(entries=entries, failed_at=incident.started_at),
        story=lines,
        story_count=len(entries) if limit else 0,
        hypotheses=cards,
        ruled_out=ruled_out,
        charts=charts,
        charts_note=_("the blamed part against its peers (band: P5 to P95), in UTC")
        if charts
        else "",
        charts_empty=_charts_empty(header),
        actions=_actions(header),
        notes=tuple(
            _note(row=row, view=view, histories=histories, reader=reader)
            for row in view.annotations
        ),
        audience=tuple(
            _party(party=p, zone=reader.zone) for p in header.parties if not p.is_reader
        ),
        can_write=reader.can_write,
        took_note=any(party.is_reader and party.acknowledged_at for party in header.parties),
        can_resolve=reader.may_resolve and is_open,
        can_act_first=any(party.is_reader for party in acting),
    )


def lead_of(view: IncidentView) -> str:
    """Return what follows the answer to the restart: what need not change, or what is missing."""
    incident = view.header.incident
    comfort = naming.spoken(incident.cause).comfort
    if incident.verdict_status != "unknown":
        return comfort
    best = next((entry for entry in view.hypotheses if entry.missing), None)
    if best is None:
        return comfort
    missing = best.missing[0]
    hosts = missing.get("hosts") or []
    part = str(missing.get("held_by"))
    holders = [
        _("you") if party.is_reader else party.organization.name
        for party in view.header.asked(part)
    ]
    wanted = words.inside(words.source(str(missing.get("source", ""))))
    if hosts:
        of_hosts = {"source": wanted, "hosts": words.hosts_text(hosts)}
        wanted = _("%(source)s of %(hosts)s") % of_hosts
    told = {"wanted": wanted, "holders": words.either(holders)}
    if not holders:
        return _("The portal does not guess. What would settle it: %(wanted)s.") % told
    if _is_held(view.header, part):
        held = _(
            "The portal does not guess. What would settle it: %(wanted)s, held by %(holders)s."
        )
        return held % told
    return _("The portal does not guess. What would settle it: %(wanted)s; ask %(holders)s.") % told


def _is_held(header: IncidentHeader, part: str) -> bool:
    return any(part in party.parts for party in header.parties)


def restart_of(header: IncidentHeader) -> str:
    """Answer whether to restart and whom to leave out, as far as the reader may know."""
    advice = str(header.restart.get("advice", "unknown"))
    hosts = header.restart.get("exclude_hosts")
    if hosts is None and advice == "restart-without":
        return _("Restart without the culprit; its name is hidden from you by policy.")
    return words.restart(advice=advice, hosts=hosts or [])


def clock_length(length: timedelta) -> str:
    """Return a running time as 00:14:32, with days in front where there are any."""
    seconds = max(int(length.total_seconds()), 0)
    days, rest = divmod(seconds, 86400)
    clock = f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
    return _("%(d)s d %(clock)s") % {"d": days, "clock": clock} if days else clock


def _status_note(header: IncidentHeader) -> str:
    incident = header.incident
    if incident.status == "withdrawn":
        because = incident.withdrawn_because
        return _("withdrawn: %(because)s") % {"because": because} if because else _("withdrawn")
    if incident.status == "resolved":
        return _("resolved")
    noted = next((p.acknowledged_at for p in header.parties if p.is_reader), None)
    if noted:
        return _("open, you took note at %(at)s") % {"at": f"{noted.astimezone(UTC):%H:%M}"}
    return _("open, still collecting") if header.is_collecting else _("open")


def _party(*, party: PartyView, zone: ZoneInfo | None) -> Party:
    noted = party.acknowledged_at
    return Party(
        slug=party.organization.slug,
        name=party.organization.name,
        mark=party.organization.mark,
        part=words.parts(party.parts),
        is_reader=party.is_reader,
        acts=party.acts,
        took_note=_("took note at %(at)s") % {"at": instant(noted, zone=zone).text}
        if noted
        else "",
    )


def _verdict(header: IncidentHeader) -> VerdictStrip:
    incident = header.incident
    lost, note = _stall(header)
    return VerdictStrip(
        layer=layer_mark(incident.layer),
        phase=words.said(words.PHASES, incident.phase),
        cause=naming.spoken(incident.cause).name,
        cause_slug=incident.cause,
        culprit=_culprit(header),
        culprit_detail=_culprit_detail(header),
        probability=probability(value=incident.probability, status=incident.verdict_status),
        coverage=coverage_strip(header.coverage),
        stopped_since=lost,
        stopped_note=note,
    )


def _culprit(header: IncidentHeader) -> str:
    if header.culprits is None:
        return _("Hidden by policy")
    if not header.culprits:
        return _("Nobody named")
    names = naming.culprits(header.culprits)
    return words.sentence_case(names)


def _culprit_detail(header: IncidentHeader) -> str:
    if header.culprits is None:
        return _("your part does not answer for this layer")
    if not header.culprits:
        return _("no part is known to be at fault")
    first = header.culprits[0]
    gpu = first.get("gpu") or {}
    stopped = _first_stopper(header).get("ranks") or []
    parts = [
        _("rank %(n)s") % {"n": first["rank"]} if first.get("rank") not in {None, *stopped} else "",
        str(gpu.get("pci") or ""),
        _stopper(header),
    ]
    return ", ".join(part for part in parts if part)


def _first_stopper(header: IncidentHeader) -> Mapping[str, Any]:
    """Return who stopped first; the ranks of a session are nothing for vendors."""
    return header.first_stopper or {}


def _stopper(header: IncidentHeader) -> str:
    stopper = _first_stopper(header)
    ranks = stopper.get("ranks") or []
    if not ranks:
        return ""
    how = words.said(words.FIRST_STOP, str(stopper.get("by")))
    who = (
        _("rank %(n)s") % {"n": ranks[0]}
        if len(ranks) == 1
        else _("%(n)s ranks") % {"n": len(ranks)}
    )
    return (_("%(who)s stopped first, %(how)s") % {"who": who, "how": how}).rstrip(", ")


def _stall(header: IncidentHeader) -> tuple[str, str]:
    """Return the GPU hours between the break and the end of the attempts, where both are known."""
    broke = header.incident.started_at
    known = [
        (attempt.ended_at - broke, attempt.world_size)
        for attempt in header.attempts
        if broke and attempt.ended_at and attempt.world_size and attempt.ended_at > broke
    ]
    if not known:
        return "", ""
    hours = sum(length.total_seconds() / 3600 * size for length, size in known)
    longest = max(length for length, _ in known)
    ranks = sum(size for _, size in known)
    lasted = {"length": words.duration(longest.total_seconds()), "n": ranks}
    return f"{hours:.1f} GPU-h", _("%(length)s, %(n)s GPUs") % lasted


def _stubs(view: IncidentView) -> list[Entry]:
    """Return one box for each holder and layer of hidden evidence, without a time of its own."""
    found: dict[tuple[str, str], int] = {}
    for hypothesis in view.hypotheses[:1]:
        for held in hypothesis.held:
            key = (held.organization.name, held.layer)
            found[key] = found.get(key, 0) + held.count
    return [_stub(name=name, layer=layer, count=count) for (name, layer), count in found.items()]


def _stub(*, name: str, layer: str, count: int) -> Entry:
    lane = layer if layer in story.LANE_TITLES else "application"
    return Entry(
        key=f"held-{name}-{layer}",
        lane=lane,
        lane_title=_(story.LANE_TITLES[lane]),
        layer=layer if layer in words.LAYERS else "unknown",
        role="context",
        title=_("%(name)s holds %(items)s") % {"name": name, "items": words.items(count)},
        detail=_("hidden by policy, without a time"),
        owner=name,
        initial=name[:1].upper(),
        is_hidden=True,
    )


def _with_verdict(*, told: list[Entry], view: IncidentView) -> list[Entry]:
    """Add the verdict itself where none of the reader's own entries tells of it."""
    header, incident = view.header, view.header.incident
    is_told = any(entry.role == "initiating" for entry in told)
    if is_told or incident.started_at is None or incident.layer == "unknown":
        return told
    clause = naming.clause(cause_slug=incident.cause, devices=header.culprits or [])
    holders = list(
        dict.fromkeys(held.organization.name for each in view.hypotheses[:1] for held in each.held)
    )
    by = _("the verdict")
    if holders:
        by = _("the verdict, from evidence of %(names)s") % {"names": words.joined(holders)}
    added = story.verdict_entry(
        title=words.sentence_case(clause), detail=by, layer=incident.layer, at=incident.started_at
    )
    return story.told_in_order(entries=told, added=added)


def _drawing(
    *, entries: Sequence[Entry], view: IncidentView, wish: Wish, zone: ZoneInfo | None
) -> Drawing | None:
    if wish.group == "list":
        return None
    failed_at = view.header.incident.started_at
    span = story.span_of(name=wish.span, entries=entries, failed_at=failed_at)
    if span is None:
        return None
    elsewhere = story.held_elsewhere(coverage=view.header.coverage, parties=view.header.parties)
    if wish.group == "party":
        heads, members = story.by_party(entries, elsewhere=elsewhere)
    else:
        heads, members = (
            story.lane_heads(coverage=view.header.coverage, entries=entries, elsewhere=elsewhere),
            [*entries],
        )
    return draw(entries=members, heads=heads, span=span, failed_at=failed_at, zone=zone)


def _choices(
    names: Sequence[tuple[str, str]], *, name: str, chosen: str, other: tuple[str, str]
) -> tuple[Choice, ...]:
    return tuple(
        Choice(text=_(text), query=f"?{name}={value}&{other[0]}={other[1]}", is_on=value == chosen)
        for value, text in names
    )


def _charts_empty(header: IncidentHeader) -> str:
    metrics = [entry for entry in header.coverage if entry["source"] == "metrics"]
    state = str(metrics[0]["state"]) if metrics else "absent"
    reasons = {
        "hidden": _(
            "The metrics of this incident belong to another party and are hidden by policy."
        ),
        "stale": _("The metrics source was stale when this broke: no samples, which is not zero."),
        "present": _(
            "Your organization holds no metrics of the blamed part; their holder sees them."
        ),
    }
    nobody = _("No metrics source covered this session: no data, which is not zero.")
    return reasons.get(state, nobody)


def _actions(header: IncidentHeader) -> tuple[ActionRow, ...]:
    return tuple(
        _action(action=action, header=header, index=index)
        for index, action in enumerate(header.actions)
    )


def _action(*, action: Mapping[str, Any], header: IncidentHeader, index: int) -> ActionRow:
    owner = str(action.get("owner", ""))
    doers = header.asked(owner)
    names = words.either([party.organization.name for party in doers])
    is_ours = any(party.is_reader for party in doers)
    hosts = action.get("hosts") or []
    text = str(action.get("text", ""))
    fresh_hosts = [host for host in hosts if host not in text]
    who = names or _(words.NOBODY)
    return ActionRow(
        text=words.sentence_case(saying.action(text)),
        who=", ".join(
            part
            for part in (
                _("%(names)s, you") % {"names": who} if is_ours else who,
                words.hosts_text(fresh_hosts),
            )
            if part
        ),
        is_ours=is_ours,
        is_first=index == 0,
    )


def _note(
    *,
    row: Annotation,
    view: IncidentView,
    histories: Mapping[str, Sequence[Annotation]],
    reader: Reader,
) -> NoteRow:
    names = {party.organization.pk: party.organization.name for party in view.header.parties}
    others = [names[pk] for pk in row.audience if pk in names and pk != row.organization_id]
    is_own = row.organization_id == view.header.reader.pk
    earlier = [
        NoteVersion(text=old.text, at=instant(old.created_at, zone=reader.zone, now=reader.now))
        for old in histories.get(row.public_id, ())
        if old.version < row.version
    ]
    return NoteRow(
        public_id=row.public_id,
        text=row.text,
        author=row.author_name,
        organization=row.organization.name,
        mark=row.organization.mark,
        audience=_("read by %(names)s") % {"names": ", ".join(others)}
        if others
        else _("read by this organization only"),
        at=instant(row.created_at, zone=reader.zone, now=reader.now),
        concerns=_concerns(row),
        earlier=tuple(earlier),
        is_own=is_own,
        is_withdrawn=row.is_withdrawn,
    )


def _concerns(row: Annotation) -> str:
    lane = words.said(story.LANE_TITLES, row.lane)
    span = f"{row.starts_at:%H:%M:%S}" if row.starts_at else ""
    if row.starts_at and row.ends_at:
        span = f"{row.starts_at:%H:%M:%S}–{row.ends_at:%H:%M:%S}"  # noqa: RUF001  a span
    about = " ".join(
        part for part in (span, _("%(name)s lane") % {"name": lane} if lane else "") if part
    )
    return _("about %(what)s") % {"what": about} if about else ""
