"""Make a link with which a person sets the own password: for who lost it or never had one."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from django.utils import timezone

from apps.diagnosis.spelling import meant, shown
from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.lookups import memberships_of
from apps.tenancy.models import MemberRole, Membership, Organization, User
from apps.tenancy.people import invitations, link_acceptance
from apps.tenancy.people.invitations import InvitationWish
from apps.tenancy.scope import organization_scope
from apps.tenancy.sign_in import second_factors

OPERATOR = "command"
HOW = "; `manage.py setup` makes members"


class Command(BaseCommand):
    """What an operator does on the portal's own machine: no admin may do it to another's member."""

    help = "Print a link, once, that sets a person's password; former ones of that person end."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take whose password it is."""
        parser.add_argument("user", metavar="USER", help="who signs in by this name")
        parser.add_argument(
            "--remove-second-factor",
            action="store_true",
            help="also take away the second factor: for who lost the phone and the recovery codes",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the link."""
        user = User.objects.filter(username=options["user"], is_active=True).first()
        homes = memberships_of(user_id=user.pk) if user else []
        if user is None or not homes:
            raise CommandError(_no_such(options["user"]))
        link_acceptance.end_password_links(user=user, now=timezone.now())
        if options["remove_second_factor"]:
            second_factors.remove_all(user=user, actor=OPERATOR, now=timezone.now())
        code = _issue(user, Organization.objects.get(pk=homes[0]))
        self.stdout.write(settings.PORTAL_BASE_URL + reverse("web:join", args=[code]))


def _no_such(name: str) -> str:
    known = User.objects.filter(is_active=True).exclude(username=name)
    hint = meant(word=name, known=known.values_list("username", flat=True))
    return f"no member `{shown(word=name)}`{hint or HOW}"


def _issue(user: User, organization: Organization) -> str:
    now = timezone.now()
    with organization_scope(organization.pk):
        role = Membership.objects.for_organization(organization).get(user=user).role
        issued = invitations.issue(
            organization=organization,
            wish=InvitationWish(role=MemberRole(role)),
            invited_by=OPERATOR,
            now=now,
            user=user,
        )
        act = AuditAction(
            action="member.invited", subject=issued.invitation.public_id, actor=OPERATOR
        )
        record(organization_id=organization.pk, act=act, now=now)
    return issued.code
