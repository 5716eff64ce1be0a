"""Telling of a report that was issued: to the people and the webhook that its schedule names."""

import secrets
from collections.abc import Iterator
from datetime import datetime

from django.conf import settings

from apps.diagnosis.model import statement
from apps.notifications import fan_out
from apps.notifications.models import Delivery, Notification, Webhook
from apps.notifications.notification_kinds import Channel, NotificationKind
from apps.notifications.payload import moment, news_body, page
from apps.notifications.preferences.delivery_schedule import due_at
from apps.reliability.models import ReportSchedule
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.report_values import ReportHead
from apps.tenancy.models import Organization


def tell(
    *, organization: Organization, report: ReportHead, schedule: ReportSchedule, now: datetime
) -> list[Delivery]:
    """Tell of a report, once for each revision and schedule. Needs the organization's scope."""
    fan_out.hold(organization_id=organization.pk)
    notice = _notice(organization, report, schedule, now)
    if notice is None:
        return []
    notice.save(force_insert=True)
    deliveries = list(_deliveries(organization, notice, schedule, now))
    fan_out.send_soon(organization=organization, deliveries=deliveries)
    return deliveries


def _notice(
    organization: Organization, report: ReportHead, schedule: ReportSchedule, now: datetime
) -> Notification | None:
    subject = f"report:{report.public_id}/{schedule.public_id}"
    told = Notification.objects.for_organization(organization).filter(
        kind=NotificationKind.REPORT, subject=subject, step=report.revision
    )
    if told.exists():
        return None
    return Notification(
        organization=organization,
        public_id=f"NTC-{secrets.token_hex(6).upper()}",
        kind=NotificationKind.REPORT,
        subject=subject,
        step=report.revision,
        cluster_id=report.cluster.id if report.cluster else None,
        is_simulated=report.is_simulated,
        body=_body(organization, report),
        created_at=now,
    )


def _body(organization: Organization, report: ReportHead) -> dict[str, object]:
    url = page("web:report", organization.slug, report.public_id)
    first, last = f"{report.first_day}", f"{report.last_day}"
    if report.audience is Audience.OWN or report.cluster is None:
        told = statement("report-issued", name=organization.name, first=first, last=last)
    else:
        told = statement(
            "cluster-report-issued", cluster=report.cluster.name, first=first, last=last
        )
    return news_body(told=told, url=url) | {
        "report": {
            "id": report.public_id,
            "revision": report.revision,
            "audience": report.audience.value,
            "cluster": report.cluster.slug if report.cluster else None,
            "starts_at": moment(report.starts_at),
            "ends_at": moment(report.ends_at),
            "digest": report.digest,
        }
    }


def _deliveries(
    organization: Organization, notice: Notification, schedule: ReportSchedule, now: datetime
) -> Iterator[Delivery]:
    if settings.PORTAL_SMTP:
        for each in fan_out.recipients_of(organization=organization):
            if each.user.pk in schedule.recipients:
                letter = fan_out.delivery(
                    notice=notice,
                    channel=Channel.EMAIL,
                    due=due_at(pace=each.wish.pace, wakes=False, now=now),
                    now=now,
                    user=each.user,
                )
                letter.wakes = False
                yield letter
    webhooks = Webhook.objects.for_organization(organization).filter(is_enabled=True)
    if schedule.to_webhook and webhooks.exists():
        yield fan_out.delivery(notice=notice, channel=Channel.WEBHOOK, due=now, now=now)
