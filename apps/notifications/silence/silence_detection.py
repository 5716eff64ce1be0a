"""Who fell silent and who is heard again, with hysteresis: what comes and goes tells nothing."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.model import statement
from apps.notifications import fan_out
from apps.notifications.models import Notification, SourceLiveness
from apps.notifications.notification_kinds import NotificationKind
from apps.notifications.payload import moment, news_body, page
from apps.notifications.silence.monitored_sources import LOGS_KNOWN_FOR, MonitoredVoice, voices_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

# One that speaks again has to go on for this long.
SPEAKS_FOR: Final = timedelta(minutes=2)
# Looks come every minute. After a longer gap it was the portal that did not listen.
DEAF_AFTER: Final = timedelta(minutes=5)
# How much longer than its longest usual pause a log may be quiet; no pause counts for more.
TIMES_THE_PAUSE: Final = 2
LONGEST_PAUSE: Final = timedelta(hours=6)


@dataclass(frozen=True, slots=True, kw_only=True)
class SilenceChange:
    """A change that is told."""

    voice: MonitoredVoice
    row: SourceLiveness
    kind: NotificationKind
    lasted: timedelta


def listen(*, organization_id: int, now: datetime) -> list[Notification]:
    """Look who is heard, and tell of those who changed. Opens the scope."""
    organization = Organization.objects.get(pk=organization_id)
    with organization_scope(organization_id):
        fan_out.hold(organization_id=organization_id)
        voices = voices_of(organization=organization)
        known = {row.subject: row for row in SourceLiveness.objects.for_organization(organization)}
        found = []
        for voice in voices:
            row = known.pop(voice.subject, None) or _first(organization, voice, now)
            change = _judge(voice, row, now)
            row.looked_at = now
            row.save()
            found += [change] if change else []
        # What was switched off or removed is no news to those who did it.
        SourceLiveness.objects.filter(pk__in=[row.pk for row in known.values()]).delete()
        # Several that fall silent at once are apart for machines, and one letter for people.
        return [
            notice
            for each in found
            for notice in fan_out.hand_on(
                organization=organization, notices=[_notice(organization, each, now)], now=now
            )
        ]


def _first(organization: Organization, voice: MonitoredVoice, now: datetime) -> SourceLiveness:
    # One that was gone before anybody listened is no news; that it is back would be.
    is_gone = not voice.is_log and now - voice.last_at > voice.quiet_limit
    return SourceLiveness(
        organization=organization,
        subject=voice.subject,
        is_silent=is_gone,
        silent_since=voice.last_at if is_gone else None,
        first_heard_at=now,
        last_heard_at=voice.last_at,
        listening_since=now,
    )


def _judge(voice: MonitoredVoice, row: SourceLiveness, now: datetime) -> SilenceChange | None:
    if row.looked_at is None or now - row.looked_at > DEAF_AFTER:
        row.listening_since = now
    pause = voice.last_at - row.last_heard_at
    row.last_heard_at = max(row.last_heard_at, voice.last_at)
    if voice.is_log:
        learnt = min(pause, LONGEST_PAUSE).total_seconds()
        row.longest_gap_seconds = max(row.longest_gap_seconds, learnt)
    return _speaking(voice, row, now) if row.is_silent else _falling_silent(voice, row, now)


def _falling_silent(
    voice: MonitoredVoice, row: SourceLiveness, now: datetime
) -> SilenceChange | None:
    since = max(row.last_heard_at, row.listening_since or now)
    is_known = not voice.is_log or now - row.first_heard_at >= LOGS_KNOWN_FOR
    if not is_known or not voice.is_asked or now - since <= _limit(voice, row):
        return None
    row.is_silent, row.silent_since, row.speaks_since = True, row.last_heard_at, None
    row.step += 1
    return SilenceChange(
        voice=voice, row=row, kind=NotificationKind.SILENT, lasted=now - row.last_heard_at
    )


def _speaking(voice: MonitoredVoice, row: SourceLiveness, now: datetime) -> SilenceChange | None:
    silent_since = row.silent_since or row.last_heard_at
    is_heard = row.last_heard_at > silent_since and now - row.last_heard_at <= _limit(voice, row)
    row.speaks_since = (row.speaks_since or row.last_heard_at) if is_heard else None
    # Heard twice, and not only not yet missed again.
    if row.speaks_since is None or row.last_heard_at - row.speaks_since < SPEAKS_FOR:
        return None
    lasted = row.speaks_since - silent_since
    row.is_silent, row.silent_since, row.speaks_since = False, None, None
    row.step += 1
    return SilenceChange(voice=voice, row=row, kind=NotificationKind.BACK, lasted=lasted)


def _limit(voice: MonitoredVoice, row: SourceLiveness) -> timedelta:
    usual = timedelta(seconds=row.longest_gap_seconds) * TIMES_THE_PAUSE
    return max(voice.quiet_limit, usual) if voice.is_log else voice.quiet_limit


SOURCE, SOURCES = "web:source", "web:sources"


def _notice(organization: Organization, found: SilenceChange, now: datetime) -> Notification:
    voice, row = found.voice, found.row
    is_silent = found.kind == NotificationKind.SILENT
    source, cluster, span = voice.name, voice.cluster, found.lasted
    told = (
        statement("source-silent", source=source, cluster=cluster, span=span)
        if is_silent
        else statement("source-heard-again", source=source, cluster=cluster, span=span)
    )
    address = [organization.slug, *([voice.public_id] if voice.public_id else [])]
    return Notification(
        organization=organization,
        public_id=f"NTC-{secrets.token_hex(6).upper()}",
        kind=found.kind,
        subject=f"hearing:{voice.subject}",
        step=row.step,
        cluster_id=voice.cluster_id,
        is_simulated=voice.is_simulated,
        body={
            **news_body(told=told, url=page(SOURCE if voice.public_id else SOURCES, *address)),
            "source": {
                "id": voice.public_id,
                "name": voice.name,
                "cluster": voice.cluster,
                "state": "silent" if is_silent else "heard",
                "last_heard_at": moment(row.last_heard_at),
            },
        },
        created_at=now,
    )
