"""News of every kind for the parties of the canaries, each made by what makes it in the portal."""

from datetime import datetime, timedelta

from django.utils import timezone

from apps.diagnosis.model import statement
from apps.fleet.models import ParticipationRole, ProposalKind
from apps.fleet.parties.role_proposals import ProposedRole, propose
from apps.incidents.annotations import annotate
from apps.incidents.entries import Audience, Note
from apps.incidents.facade.bundles import make_bundle
from apps.notifications.delivery.delivery_log import send_test
from apps.notifications.delivery.endpoint_health import PAUSED_AFTER, TOLD_AFTER, note_failure
from apps.notifications.delivery.outbox import Outcome
from apps.notifications.models import Webhook
from apps.notifications.notification_kinds import Channel
from apps.notifications.occasions import role_offers
from apps.notifications.occasions.crash_loops import CrashLoopNews, tell_crash_loop
from apps.notifications.occasions.incident_changes import look
from apps.notifications.silence.silence_detection import listen
from apps.reliability.facade.report_schedules import possible_recipients, set_schedule
from apps.reliability.period.scopes import Audience as ReportAudience
from apps.reliability.reports.due_reports import issue_due
from apps.sharing.bundles.bundle_contents import BundleChoice
from apps.sharing.facade import bundles
from apps.telemetry.models import Source
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.revised_incidents import UNKNOWN, revise
from tests.cast import make
from tests.cast.agreements import admin_of, agreed
from tests.cast.evidence_requests import asked
from tests.cast.incidents import actor
from tests.contracts.canaries import Planted
from tests.contracts.shared_canaries import GIVEN, canary

HEARD_AGAIN = range(20, 30)  # minutes of the half hour in which a source is listened to


def tell_everything(planted: Planted) -> None:
    """Let everything happen that one is told of, with words of those whose doing it is."""
    now = timezone.now()  # noqa: TID251  what is asked and sent lasts for days
    parties = [each for name, each in planted.everyone.items() if name != "stranger"]
    for party in parties:
        # Two tenants do not know of each other.
        unknown = _tenants(planted) if party in _tenants(planted) else {party}
        others = [each for each in parties if each not in unknown]
        _mention(planted, party, others, now)
        for each in others:
            _ask(planted, party, each, now)
        _listen(party)
        _fail(party, now)
    _agreements_that_end(planted, now)
    _send_bundle(planted, now)
    _offer(planted, now)
    _verdicts(planted)
    for party in parties:
        _report(planted, party, now)
    _crash_loops(planted, now)
    for each in planted.everyone.values():
        look(organization_id=each.pk, now=now + timedelta(minutes=1))
        with organization_scope(each.pk):
            send_test(actor=admin_of(each).actor, channel=Channel.WEBHOOK, now=now)


def _tenants(planted: Planted) -> set[Organization]:
    return {planted.cast.tenant, planted.cast.other_tenant}


def _verdicts(planted: Planted) -> None:
    """Let the stop become unsettled, then another one's doing."""
    stop = planted.incidents[0]
    ids = [each.pk for each in planted.everyone.values()]
    for minutes, header in ((5, UNKNOWN), (60, {"layer": "network", "cause": "link-down"})):
        at = make.AT + timedelta(minutes=minutes)
        revise(planted.cast, stop, at, **header)
        for pk in ids:
            look(organization_id=pk, now=at + timedelta(minutes=20))


def _mention(
    planted: Planted, author: Organization, readers: list[Organization], now: datetime
) -> None:
    names = " ".join(f"@{each.slug}" for each in readers)
    with organization_scope(author.pk):
        annotate(
            actor=actor(author),
            incident=planted.incidents[1],
            note=Note(text=f"{names} {canary(author, 'NOTE')}"),
            audience=Audience(organizations=tuple(each.slug for each in readers)),
            now=now,
        )


def _ask(planted: Planted, by: Organization, of: Organization, now: datetime) -> None:
    asked(planted.incidents[1], by, of, now=now, reason=canary(by, "ASKED"))


def _listen(party: Organization) -> None:
    """Let a source of a party fall silent, and be heard again."""
    for minute in range(30):
        at = make.AT + timedelta(minutes=minute)
        heard = {"state": "fresh", "last_success_at": at}
        is_heard = minute == 0 or minute in HEARD_AGAIN
        with organization_scope(party.pk):
            rows = Source.objects.for_organization(party)
            rows.update(**(heard if is_heard else {"state": "stale"}))
        listen(organization_id=party.pk, now=at)


def _fail(party: Organization, now: datetime) -> None:
    """Let the webhook of a party fail for an hour, then for days; its receiver says something."""
    told = statement("text", text=canary(party, "VALUE"))
    failed = Outcome(is_success=False, status=500, failure=told)
    with organization_scope(party.pk):
        hook = Webhook.objects.get(organization=party)
        for after in (timedelta(0), TOLD_AFTER, PAUSED_AFTER):
            note_failure(webhook=hook, outcome=failed, is_gone=False, now=now + after)


def _agreements_that_end(planted: Planted, now: datetime) -> None:
    cast = planted.cast
    # What operator and platform proposed to each other still waits.
    pairs = [(cast.operator, other) for other in (cast.tenant, cast.other_tenant, cast.vendor)]
    for first, second in (*pairs, (cast.vendor, planted.platform)):
        agreed(first, second, cast.cluster, preset="closed", now=now, until=now + timedelta(days=2))


def _send_bundle(planted: Planted, now: datetime) -> None:
    cast = planted.cast
    told, word = admin_of(cast.operator, now=now), canary(cast.operator, GIVEN)
    for other in (cast.tenant, cast.vendor, planted.platform):
        wish = BundleChoice(recipients=(other.slug,), purpose=word)
        with organization_scope(cast.operator.pk):
            made = make_bundle(
                actor=told.actor,
                incident=planted.incidents[0].public_id,
                choice=wish,
                context=told,
            )
            bundles.send(actor=told.actor, public_id=made, context=told)


def _report(planted: Planted, party: Organization, now: datetime) -> None:
    """Let a party have a report of the cluster issued by itself, and be told of it."""
    told = admin_of(party, now=now - timedelta(days=14))
    with organization_scope(party.pk):
        members = [each.id for each in possible_recipients(actor=told.actor)]
        set_schedule(
            context=told,
            audience=ReportAudience.CLUSTER,
            cluster=planted.cast.cluster.slug,
            rhythm="weekly",
            recipients=members,
            to_webhook=True,
        )
    issue_due(organization_id=party.pk, now=now)


def _crash_loops(planted: Planted, now: datetime) -> None:
    """Let a session of each tenant be started again and again."""
    tenants = (planted.cast.tenant, planted.cast.other_tenant)
    for tenant, session in zip(tenants, planted.sessions, strict=True):
        news = CrashLoopNews(
            session=session.public_id,
            name=session.name,
            attempt=4,
            retries=3,
            gpu_hours=96.0,
            ended_at=now,
            cluster_id=planted.cast.cluster.pk,
            is_simulated=False,
        )
        with organization_scope(tenant.pk):
            tell_crash_loop(organization=tenant, news=news, now=now)


def _offer(planted: Planted, now: datetime) -> None:
    cast = planted.cast
    told = admin_of(cast.operator, now=now)
    for to in (cast.stranger, cast.vendor, cast.tenant):
        wish = ProposedRole(
            kind=ProposalKind.OFFER, slug=to.slug, part=ParticipationRole.STORAGE_VENDOR
        )
        with organization_scope(cast.operator.pk):
            row, _ = propose(actor=told.actor, cluster=cast.cluster, wish=wish, context=told)
            role_offers.tell(proposal=row, now=now)
