"""Work that was set aside after failing several times, listed or tried again."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.diagnosis.spelling import meant, one_of, shown
from apps.incidents.correlation.attempts import due_attempts
from apps.telemetry.evidence.capture import look_again
from apps.telemetry.samples import set_aside as pushed_aside
from apps.tenancy.models import FailedWork, Organization
from apps.tenancy.people.organization_lookup import UnknownOrganization, organizations_named
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import failed_work


class Command(BaseCommand):
    """List what was set aside, and let it be tried again."""

    help = "Try again what was set aside because it failed; --list only shows it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take one organization or all, one kind or all."""
        parser.add_argument("--organization", metavar="SLUG", help="only this one")
        parser.add_argument("--kind", default="", help="only this kind, as --list names it")
        parser.add_argument("--list", action="store_true", help="try nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Go through the organizations."""
        chosen = _organizations(options["organization"])
        _check_kind(options["kind"], chosen)
        for organization in chosen:
            for row in _set_aside(organization, options["kind"]):
                self.stdout.write(
                    f"{organization.slug} {row.kind} {row.subject}: {row.error}, "
                    f"tried {row.attempt_count} times, the last at {row.tried_at:%Y-%m-%d %H:%M}"
                )
            if not options["list"]:
                self._retry(organization, options["kind"])

    def _retry(self, organization: Organization, kind: str) -> None:
        now = timezone.now()
        count = failed_work.try_again(organization_id=organization.pk, kind=kind)
        if count:
            due_attempts.look_again(organization_id=organization.pk, now=now)
            look_again(organization_id=organization.pk, now=now)
            pushed_aside.retry(organization_id=organization.pk)
            self.stdout.write(f"{organization.slug}: {count} will be tried again")


def _set_aside(organization: Organization, kind: str) -> list[FailedWork]:
    with organization_scope(organization.pk):
        rows = FailedWork.objects.for_organization(organization)
        found = rows.filter(set_aside_at__isnull=False).order_by("set_aside_at", "id")
        return list(found.filter(kind=kind) if kind else found)


def _check_kind(kind: str, chosen: list[Organization]) -> None:
    """Refuse a kind of which nothing is set aside while something else is."""
    known = {row.kind for each in chosen for row in _set_aside(each, "")} if kind else set()
    if known and kind not in known:
        hint = f"{one_of(known=known)}{meant(word=kind, known=known)}"
        raise CommandError(f"nothing of the kind `{shown(word=kind)}` is set aside; {hint}")


def _organizations(slug: str | None) -> list[Organization]:
    try:
        return organizations_named(slug=slug)
    except UnknownOrganization as error:
        raise CommandError(str(error)) from None
