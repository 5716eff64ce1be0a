"""What one is told of, the webhook, and the delivery log, in words."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.diagnosis.model import statement_of
from apps.fleet.models import Cluster
from apps.notifications.delivery.delivery_log import Delivered
from apps.notifications.models import Delivery, DeliveryAttempt, Webhook
from apps.notifications.notification_kinds import (
    AT_NIGHT_CHOICES,
    CHOICES,
    Channel,
    DeliveryState,
    Minimum,
    NotificationKind,
    Rhythm,
)
from apps.notifications.preferences.preferences import DEFAULT_KINDS, Preference
from apps.web import words
from apps.web.display.instants import in_full
from apps.web.settings.notifications.page import (
    ChoiceFields,
    DeliveryRow,
    FormChoice,
    HookForm,
    HookState,
    LetterForm,
    TryRow,
)
from apps.wording import said


def choice_fields(
    *, kinds: Collection[str], minimum: str, clusters: Collection[int], known: Sequence[Cluster]
) -> ChoiceFields:
    """Return what there is to choose, with what is chosen."""
    return ChoiceFields(
        kinds=tuple(_choice(kind, kind.label, is_chosen=kind in kinds) for kind in CHOICES),
        minimum=tuple(_choice(each, each.label, is_chosen=each == minimum) for each in Minimum),
        clusters=tuple(
            _choice(each.slug, each.name, is_chosen=each.pk in clusters) for each in known
        )
        if len(known) > 1
        else (),
    )


def letter_form(*, wish: Preference, known: Sequence[Cluster]) -> LetterForm:
    """Return a person's form as things stand."""
    pace = wish.pace
    return LetterForm(
        told=choice_fields(
            kinds=wish.kinds, minimum=wish.minimum, clusters=wish.clusters, known=known
        ),
        rhythm=rhythm_choices(pace.rhythm),
        at_night=night_choices(wish.at_night),
        zone=pace.zone.key,
        quiet_from=f"{pace.quiet_from:%H:%M}" if pace.quiet_from else "",
        quiet_until=f"{pace.quiet_until:%H:%M}" if pace.quiet_until else "",
    )


def hook_form(*, webhook: Webhook | None, known: Sequence[Cluster]) -> HookForm:
    """Return the webhook's form as things stand, without its secret."""
    if webhook is None:
        none = choice_fields(kinds=DEFAULT_KINDS, minimum=Minimum.ANY, clusters=(), known=known)
        return HookForm(told=none)
    return HookForm(
        told=choice_fields(
            kinds=webhook.kinds, minimum=webhook.minimum, clusters=webhook.clusters, known=known
        ),
        url=webhook.url,
        networks="\n".join(webhook.allowed_networks),
        is_enabled=webhook.is_enabled,
    )


def hook_state(*, webhook: Webhook, now: datetime) -> HookState:
    """Return how the webhook stands: off, paused, failing, waiting and well are five things."""
    until = webhook.former_until
    both = f"{in_full(until)} UTC" if until and until > now else ""
    if not webhook.is_enabled:
        return HookState(state="off", text=_("switched off"), both_until=both)
    if webhook.pause:
        return HookState(
            state="failed",
            text=_("paused; nothing is lost, it waits"),
            paused_because=said(statement_of(webhook.pause)),
            both_until=both,
        )
    if webhook.failing_since:
        age = words.duration(max((now - webhook.failing_since).total_seconds(), 0))
        return HookState(
            state="stale",
            text=_("not reached for %(age)s; it is tried on") % {"age": age},
            detail=said(statement_of(webhook.failure)) if webhook.failure else "",
            both_until=both,
        )
    if webhook.last_success_at is None:
        return HookState(state="waiting", text=_("nothing was sent yet"), both_until=both)
    age = words.duration(max((now - webhook.last_success_at).total_seconds(), 0))
    text = _("took a message %(age)s ago") % {"age": age}
    return HookState(state="fresh", text=text, both_until=both)


def delivery_row(*, delivered: Delivered, hook: Webhook | None, is_held: bool) -> DeliveryRow:
    """Return one delivery as the log shows it: a header's title, and nothing of its body."""
    row = delivered.delivery
    is_held = is_held and row.state == DeliveryState.WAITING
    is_letter = row.channel == Channel.EMAIL
    return DeliveryRow(
        public_id=row.public_id,
        what=_what(row),
        about=row.notice.body["incident"]["id"] if row.notice.incident_id else "",
        to=_("to %(name)s") % {"name": row.user.get_full_name() or row.user.get_username()}
        if is_letter and row.user
        else _("to the webhook"),
        state=_STATES[DeliveryState(row.state)],
        state_text=_("on hold") if is_held else _state_text(row),
        at=row.created_at,
        next_at=None if is_held else _next_at(row, hook=None if is_letter else hook),
        tries=tuple(_try(each) for each in delivered.tries),
        can_be_sent=is_letter or hook is not None,
    )


def failed_text(count: int) -> str:
    """Return how many deliveries were given up, or nothing."""
    if not count:
        return ""
    told = ngettext("%(n)s delivery was given up.", "%(n)s deliveries were given up.", count)
    return told % {"n": f"{count:,}"}


def rhythm_choices(chosen: str) -> tuple[FormChoice, ...]:
    """Return how often one may be written to."""
    return tuple(_choice(each, each.label, is_chosen=each == chosen) for each in Rhythm)


def night_choices(chosen: Collection[str]) -> tuple[FormChoice, ...]:
    """Return what may wake one."""
    names = {
        NotificationKind.OPENED: _("An incident is opened"),
        NotificationKind.ASSIGNED: _("It points at us"),
    }
    return tuple(_choice(kind, names[kind], is_chosen=kind in chosen) for kind in AT_NIGHT_CHOICES)


_STATES = {
    DeliveryState.WAITING: "waiting",
    DeliveryState.SENT: "fresh",
    DeliveryState.FAILED: "failed",
    DeliveryState.DROPPED: "off",
}


def _what(row: Delivery) -> str:
    names = {
        NotificationKind.OPENED: _("Incident opened"),
        NotificationKind.CHANGED: _("Verdict changed"),
        NotificationKind.ASSIGNED: _("It points at us"),
        NotificationKind.MENTIONED: _("Mentioned"),
        NotificationKind.PROPOSED: _("Agreement proposed"),
        NotificationKind.ENDING: _("Agreement ends soon"),
        NotificationKind.BUNDLE: _("Evidence sent to us"),
        NotificationKind.EVIDENCE_REQUESTED: _("Evidence asked of us"),
        NotificationKind.EVIDENCE_ANSWERED: _("Request answered"),
        NotificationKind.CRASH_LOOP: _("Crash loop"),
        NotificationKind.REPORT: _("Report issued"),
        NotificationKind.SILENT: _("Source silent"),
        NotificationKind.BACK: _("Source heard again"),
        NotificationKind.TEST: _("Test"),
        NotificationKind.FAILING: _("Webhook not reached"),
        NotificationKind.OFFERED: _("Part in a cluster"),
    }
    return names[NotificationKind(row.notice.kind)]


def _state_text(row: Delivery) -> str:
    texts = {
        DeliveryState.WAITING: _("waiting"),
        DeliveryState.SENT: _("sent"),
        DeliveryState.FAILED: _("given up"),
        DeliveryState.DROPPED: _("not sent"),
    }
    text = texts[DeliveryState(row.state)]
    count = row.attempt_count
    if count < 2:
        return text
    told = ngettext("%(state)s, %(n)s try", "%(state)s, %(n)s tries", count)
    return told % {"state": text, "n": count}


def _next_at(row: Delivery, *, hook: Webhook | None) -> datetime | None:
    """Return when it is tried next, or nothing: a message waits while its address rests."""
    if row.state != DeliveryState.WAITING:
        return None
    if hook is None:
        return row.due_at
    if hook.pause or not hook.is_enabled:
        return None
    return max(row.due_at, hook.rests_until or row.due_at)


def _try(row: DeliveryAttempt) -> TryRow:
    why = said(statement_of(row.failure)) if row.failure else ""
    told = _("taken") if row.is_success else why or _("refused")
    status = f"{row.status} " if row.status else ""
    seconds = f", {row.seconds:.1f} s" if row.seconds >= 0.1 else ""
    return TryRow(at=row.at, text=f"{status}{told}{seconds}", next_at=row.next_at)


def _choice(value: str, name: object, *, is_chosen: bool) -> FormChoice:
    return FormChoice(value=str(value), name=str(name), is_chosen=is_chosen)
