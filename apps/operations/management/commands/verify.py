"""Read the audit records and share ledgers again, and say where one was changed."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.sharing.records import RECORDS, RecordReport, verify_record
from apps.tenancy.audit.chain import ChainHead
from apps.tenancy.people.organization_lookup import UnknownOrganization, organizations_named

SCHEMA = "faultline.verification/1"
Heads = Mapping[tuple[str, str], ChainHead]


class Command(BaseCommand):
    """Compare the chains of all organizations with their digests."""

    help = (
        "Say whether an entry of an audit record or share ledger was changed or removed; exit 1 "
        "if so. Keep the output of --format json elsewhere: with --known it shows later that the "
        "end of a record was cut off."
    )
    records: ClassVar[Sequence[str]] = tuple(RECORDS)

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take one organization or all, a form, and what was known before."""
        parser.add_argument("--organization", metavar="SLUG", help="only this one")
        parser.add_argument(
            "--format", choices=("text", "json"), default="text", help="for people, or for programs"
        )
        parser.add_argument(
            "--known", metavar="FILE", type=Path, help="what `verify --format json` printed before"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print one line a record, or all of it as JSON."""
        known = _known(options["known"]) if options["known"] else {}
        try:
            chosen = organizations_named(slug=options["organization"])
        except UnknownOrganization as error:
            raise CommandError(str(error), returncode=2) from None
        now = timezone.now()
        reports = [
            verify_record(
                organization=organization,
                record=record,
                known=known.get((organization.slug, record)),
                now=now,
            )
            for organization in chosen
            for record in self.records
        ]
        broken = [each for each in reports if not each.is_whole]
        if options["format"] == "json":
            told = {"schema": SCHEMA, "verified_at": now.isoformat(), "is_whole": not broken}
            told["records"] = [_plain(each) for each in reports]
            self.stdout.write(json.dumps(told, indent=2))
            if broken:
                sys.exit(1)
            return
        for each in reports:
            self.stdout.write(f"{each.organization}: {RECORDS[each.record].name}: {_said(each)}")
        if broken:
            places = (f"{each.organization} ({RECORDS[each.record].name})" for each in broken)
            raise CommandError(f"not as it was written: {', '.join(places)}")


def _said(report: RecordReport) -> str:
    found, head = report.found, report.head
    if found.is_cut:
        return f"its end is gone: there were entries from {found.broken} on"
    if found.broken is not None:
        whole = f"the {found.until} before are whole" if found.until else "it is the first"
        return f"entry {found.broken} was changed, removed or put elsewhere; {whole}"
    if head is None:
        return "whole, and empty"
    return f"whole, {head.sequence} entries, the last is {head.digest.hex()[:16]}"


def _plain(report: RecordReport) -> dict[str, Any]:
    found, head = report.found, report.head
    return {
        "organization": report.organization,
        "record": report.record,
        "is_whole": report.is_whole,
        "entries_whole": found.until,
        "first_broken": found.broken,
        "is_cut": found.is_cut,
        "head": {"sequence": head.sequence, "digest": head.digest.hex()} if head else None,
    }


def _known(path: Path) -> Heads:
    """Return organization and record → the last entry that was printed before."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return {
            (each["organization"], each["record"]): ChainHead(
                sequence=int(each["head"]["sequence"]),
                digest=bytes.fromhex(each["head"]["digest"]),
            )
            for each in {SCHEMA: told["records"]}[told["schema"]]
            if each["head"] and each["is_whole"]
        }
    except OSError as error:
        raise CommandError(f"--known: {error.strerror}", returncode=2) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CommandError("--known: no output of `verify --format json`", returncode=2) from None
