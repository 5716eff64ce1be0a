"""Bundles are made: what goes is redacted, frozen and kept. Nobody but its holder sees it yet."""

import hashlib
import json
import secrets
import zlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from typing import Any, Final

from django.db.models import QuerySet

from apps.fleet.models import Cluster
from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.sharing.bundles.bundle_contents import (
    LEVELS,
    MOST_DAYS,
    NEIGHBOURS,
    OUTSIDE_LIMIT,
    PURPOSE_LIMIT,
    BadBundleChoice,
    BundleChoice,
    BundleSubject,
    OwnContents,
)
from apps.sharing.bundles.bundle_file import MOST_BYTES, pack
from apps.sharing.bundles.bundle_manifest import BundleHead, files_of, manifest_of
from apps.sharing.bundles.bundle_recipients import (
    Basis,
    Recipients,
    basis_of,
    key_for,
    names_of_others,
    recipients_of,
)
from apps.sharing.bundles.bundle_redaction import ContentRedaction, RedactedContents
from apps.sharing.bundles.bundle_rows import bundle_room
from apps.sharing.models import Bundle, BundleContent, BundleOriginal
from apps.sharing.redaction.profiles.load import Profile, load_profiles
from apps.sharing.redaction.pseudonyms import Pseudonyms
from apps.sharing.redaction.text import visible_text
from apps.sharing.redactor import NameRedactor, ReaderNames
from apps.tenancy.access import Right
from apps.tenancy.values import name_of

MIB: Final = 2**20


class BundleRedactor(NameRedactor):
    """What is shown to the recipients of a bundle, by their key and the profile that was chosen."""

    def __init__(
        self,
        *,
        cluster_id: int,
        recipients: Recipients,
        choice: BundleChoice,
        hit: QuerySet[Any],
        key: bytes,
    ) -> None:
        keeps = ReaderNames(
            parts=frozenset(), hosts=frozenset(), knows_all_hosts=choice.keeps_hosts
        )
        readers = recipients.ids if recipients.only_party else []
        super().__init__(cluster_id=cluster_id, readers=readers, reader=keeps, hit=hit)
        self._choice, self._key = choice, key

    @cached_property
    def pseudonyms(self) -> Pseudonyms:
        """Return those of the recipients."""
        return Pseudonyms(self._key)

    @cached_property
    def chosen_profile(self) -> Profile:
        """Return the one that was chosen."""
        return load_profiles()[self._choice.profile]


def make(
    *,
    subject: BundleSubject,
    choice: BundleChoice,
    contents: OwnContents,
    hit: QuerySet[Any],
    context: ActContext,
) -> str:
    """Make a bundle and return its id. Raises NotFound, BadBundleChoice. Needs the holder's scope.

    `hit` are the sessions that the incident is about: their names are hidden, however old.
    """
    actor = context.actor
    actor.require(Right.ACT)
    choice = checked(choice)
    recipients = recipients_of(subject=subject, choice=choice)
    cluster = Cluster.objects.get(pk=subject.cluster_id)
    room = bundle_room(actor=actor)
    if room.count >= room.most:
        raise BadBundleChoice(f"there are {room.most} bundles already: withdraw some first")
    basis = basis_of(actor=actor, cluster=cluster, recipients=recipients, now=context.now)
    key = key_for(actor=actor, cluster=cluster, recipients=recipients, basis=basis, now=context.now)
    redactor = BundleRedactor(
        cluster_id=cluster.pk, recipients=recipients, choice=choice, hit=hit, key=key
    )
    others = names_of_others(actor=actor, cluster=cluster, recipients=recipients, hit=hit)
    redaction = ContentRedaction(redactor=redactor, level=choice.level, others=others)
    made = redaction.redacted(contents)
    if not (made.lines or made.evidence or made.series or made.sessions):
        raise BadBundleChoice(
            "there is nothing in it: choose more, or wait until there is evidence"
        )
    head = BundleHead(
        public_id=f"BND-{secrets.token_hex(6).upper()}",
        incident=subject.incident_public_id,
        cluster=cluster.slug,
        holder=name_of(actor.organization),
        recipients=recipients.names,
        agreement=basis.text,
        is_simulated=subject.is_simulated,
        made_at=context.now,
        expires_at=context.now + timedelta(days=choice.days),
    )
    manifest = manifest_of(
        head=head,
        choice=choice,
        profile=redactor.chosen_profile,
        pseudonyms=redactor.pseudonyms,
        contents=contents,
        made=made,
    )
    _store(head, cluster, recipients, basis, manifest, made, choice, context)
    record_cross_party_act("bundle.made", f"{head.public_id} {head.incident}", context)
    return head.public_id


def checked(choice: BundleChoice) -> BundleChoice:
    """Return the choice if a bundle can be made so; raise BadBundleChoice."""
    if choice.level not in LEVELS:
        raise BadBundleChoice("level: redacted or full")
    if choice.profile not in load_profiles():
        raise BadBundleChoice(f"profile: one of {', '.join(load_profiles())}")
    if not 1 <= choice.days <= MOST_DAYS:
        raise BadBundleChoice(f"days: 1 to {MOST_DAYS}")
    if choice.neighbours not in NEIGHBOURS:
        raise BadBundleChoice(f"neighbours: one of {', '.join(map(str, NEIGHBOURS))}")
    if not choice.sections:
        raise BadBundleChoice("choose what goes: evidence, lines, series, sessions")
    return replace(
        choice,
        purpose=_text("purpose", choice.purpose, limit=PURPOSE_LIMIT),
        outside=_text("outside", choice.outside, limit=OUTSIDE_LIMIT),
    )


def _text(name: str, text: str, *, limit: int) -> str:
    plain = " ".join(visible_text(text).split())
    if len(plain) > limit:
        raise BadBundleChoice(f"{name}: at most {limit} characters")
    return plain


def _store(  # noqa: PLR0913, PLR0917  the row, and what is in it
    head: BundleHead,
    cluster: Cluster,
    recipients: Recipients,
    basis: Basis,
    manifest: Mapping[str, Any],
    made: RedactedContents,
    choice: BundleChoice,
    context: ActContext,
) -> None:
    sealed = pack(manifest=manifest, files=files_of(manifest=manifest, made=made))
    if len(sealed) > MOST_BYTES:
        raise BadBundleChoice("it would be too large: choose less")
    holder = context.actor.organization
    room = bundle_room(actor=context.actor)
    if not room.holds(len(sealed)):
        raise BadBundleChoice(
            f"your bundles take {room.size / MIB:,.1f} MiB of {room.most_size // MIB:,}, and this "
            f"one would be {len(sealed) / MIB:,.1f}: choose less, or withdraw some first"
        )
    row = Bundle.objects.create(
        organization=holder,
        public_id=head.public_id,
        cluster=cluster,
        incident_public_id=head.incident,
        agreement=basis.agreement,
        recipients=recipients.ids,
        outside=choice.outside,
        purpose=choice.purpose,
        manifest=manifest,
        digest=hashlib.sha256(sealed).digest(),
        size=len(sealed),
        is_simulated=head.is_simulated,
        made_by=context.actor.name,
        made_at=head.made_at,
        expires_at=head.expires_at,
    )
    BundleContent.objects.create(organization=holder, bundle=row, body=sealed)
    originals = {str(section): rows for section, rows in made.originals.items()}
    body = zlib.compress(json.dumps(originals).encode())
    BundleOriginal.objects.create(organization=holder, bundle=row, body=body)
