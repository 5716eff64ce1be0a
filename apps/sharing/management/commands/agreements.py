"""Agreements as YAML: out of the portal, and back as proposals."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.fleet.parties.cross_party_acts import ActContext
from apps.sharing.documents.agreement_yaml import AgreementDocument, as_yaml, read_documents
from apps.sharing.documents.apply_documents import DocumentOutcome, apply_documents
from apps.sharing.facade.agreements import AgreementView, list_agreements
from apps.sharing.terms import BadTerms
from apps.tenancy.access import Actor, NotFound, Right, actor_for_member
from apps.tenancy.models import Organization, User
from apps.tenancy.scope import organization_scope


class Command(BaseCommand):
    """What lets agreements live in git."""

    help = "Print agreements as YAML, or propose what a file says and does not hold yet."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what is to be done."""
        todo = parser.add_subparsers(dest="todo", required=True, help="export or apply")
        out = todo.add_parser("export", help="print what holds or is proposed, one document each")
        out.add_argument("--organization", metavar="SLUG", help="of this one alone")
        out.add_argument("--cluster", metavar="SLUG", help="in this one alone")
        back = todo.add_parser("apply", help="propose what differs, all or nothing")
        back.add_argument("files", nargs="+", metavar="FILE", help="YAML; - reads standard input")
        back.add_argument("--organization", metavar="SLUG", required=True, help="for which")
        back.add_argument("--as", dest="user", metavar="USER", required=True, help="an admin of it")
        back.add_argument("--dry-run", action="store_true", help="say what it would propose")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it."""
        if options["todo"] == "export":
            self.stdout.write(as_yaml(views=_views(options)), ending="")
            return
        try:
            documents = [each for name in options["files"] for each in _read(name)]
            self._tell(_apply(documents, options), is_dry=options["dry_run"])
        except BadTerms as error:
            raise CommandError(f"nothing was proposed: {error}") from None

    def _tell(self, outcomes: Sequence[DocumentOutcome], *, is_dry: bool) -> None:
        for outcome in outcomes:
            sign = "~" if outcome.is_proposed else "="
            self.stdout.write(f"{sign} {outcome.between}")
            for line in outcome.lines or ["holds already"]:
                self.stdout.write(f"    {line}")
        count = sum(outcome.is_proposed for outcome in outcomes)
        if not count:
            self.stdout.write("Nothing to propose.")
        elif is_dry:
            self.stdout.write(f"{count} would be proposed. Nothing was.")
        else:
            self.stdout.write(f"{count} proposed: they hold once the other sides sign.")


def _views(options: dict[str, Any]) -> Iterator[AgreementView]:
    """Yield each agreement once, as one of its sides reads it."""
    slug, seen = options["organization"], set()
    now = timezone.now()
    for organization in _organizations(slug):
        reader = Actor(organization=organization, rights=frozenset({Right.READ}))
        with organization_scope(organization.pk):
            views = list_agreements(actor=reader, now=now)
        for view in sorted(views, key=lambda each: (each.cluster.slug, each.other.slug)):
            is_wanted = options["cluster"] in {None, view.cluster.slug}
            if is_wanted and view.public_id not in seen:
                seen.add(view.public_id)
                yield view


def _organizations(slug: str | None) -> Sequence[Organization]:
    every = Organization.objects.order_by("slug")
    found = list(every.filter(slug=slug) if slug else every)
    if slug and not found:
        raise CommandError(f"there is no organization {slug[:60]}")
    return found


def _read(name: str) -> Iterator[AgreementDocument]:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise BadTerms(f"{name}: can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadTerms(f"{name}: is no UTF-8 text") from None
    yield from read_documents(text=text, name=name)


def _apply(
    documents: Sequence[AgreementDocument], options: dict[str, Any]
) -> list[DocumentOutcome]:
    slug, name = options["organization"], options["user"]
    user = User.objects.filter(username=name, is_active=True).first()
    refusal = CommandError(f"nothing was proposed: {name[:60]} is no admin of {slug[:60]}")
    if user is None:
        raise refusal
    try:
        actor = actor_for_member(user=user, slug=slug)
        actor.require(Right.MANAGE)
    except NotFound:
        raise refusal from None
    told = ActContext(actor=actor, now=timezone.now())
    with organization_scope(actor.organization.pk):
        return apply_documents(documents=documents, context=told, is_dry=options["dry_run"])
