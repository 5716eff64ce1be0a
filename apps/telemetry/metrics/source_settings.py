"""Sources as an admin enters them: where they are, how to sign in there, what labels mean."""

import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.db import IntegrityError, transaction

from apps.diagnosis import zone_names
from apps.diagnosis.spelling import meant, one_of
from apps.fleet.models import Cluster
from apps.secret_shapes import holds_credential, is_opaque, names_credential
from apps.telemetry.models import Source
from apps.telemetry.samples.accept import KIND
from apps.tenancy.access import Actor, Right
from apps.tenancy.credentials import reseal, seal
from apps.tenancy.models import Organization
from apps.tenancy.outbound.policy import OutboundRefused, policy_for
from apps.tenancy.outbound.url_validation import check_address

AUTHS = frozenset({"none", "basic", "bearer"})
REACH = ("url", "verify_tls", "ca_pem", "auth")  # what decides who gets the credential


class BadSource(ValueError):
    """A value of a source can't be used; `field` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """Values of a source as given. A missing one keeps what is there; the credential is clear."""

    values: Mapping[str, Any]
    credential: str | None = None


def connect(*, actor: Actor, cluster: Cluster, wanted: SourceSettings, now: datetime) -> Source:
    """Make a metrics source of the actor's organization; raise BadSource."""
    actor.require(Right.MANAGE)
    source = Source(
        organization=actor.organization,
        public_id="SRC-" + secrets.token_hex(5).upper(),
        cluster=cluster,
        kind="prometheus",
        is_simulated=actor.organization.is_simulated,
        created_at=now,
    )
    return _apply(source=source, wanted=wanted)


def change(*, actor: Actor, source: Source, wanted: SourceSettings) -> Source:
    """Change a source. Who gets the credential can't change without entering it again."""
    actor.require(Right.MANAGE)
    moved = [
        field
        for field in REACH
        if wanted.values.get(field, former := getattr(source, field)) != former
    ]
    auth = wanted.values.get("auth", source.auth)
    if moved and source.credential and wanted.credential is None and auth != "none":
        raise BadSource("credential", f"enter the credential again: {', '.join(moved)} changes")
    return _apply(source=source, wanted=wanted)


def check_values(*, values: Mapping[str, Any]) -> None:
    """Raise BadSource for values that no new source without a sign-in could have."""
    _check(Source(kind="prometheus", **values))


def reseal_all(*, organization: Organization) -> int:
    """Encrypt an organization's credentials with the first key; return how many there are."""
    own = Source.objects.for_organization(organization).exclude(credential=None)
    sources = list(own.select_for_update().order_by("id"))
    for source in sources:
        source.credential = reseal(sealed=source.credential or b"")
    Source.objects.bulk_update(sources, ["credential"])
    return len(sources)


def _apply(*, source: Source, wanted: SourceSettings) -> Source:
    for field, value in wanted.values.items():
        setattr(source, field, value)
    if wanted.credential is not None:
        # A file that a token is copied from ends its line.
        credential = wanted.credential.strip("\r\n")
        if not credential.isprintable():
            raise BadSource("credential", "it holds signs that no header can")
        source.credential = seal(secret=credential) if credential else None
    if source.auth == "none":
        source.credential = None
    _check(source)
    try:
        with transaction.atomic():
            source.save()
    except IntegrityError:
        raise BadSource("name", "another source of this cluster has this name") from None
    return source


def _check(source: Source) -> None:
    if not source.name.isprintable():
        raise BadSource("name", "write it in one line, without control characters")
    if source.auth not in AUTHS:
        raise BadSource("auth", one_of(known=AUTHS) + meant(word=source.auth, known=AUTHS))
    if source.auth != "none" and not source.credential:
        raise BadSource("credential", "this kind of sign-in needs one")
    if source.zone and not zone_names.is_zone(name=source.zone):
        raise BadSource("zone", zone_names.refusal(name=source.zone))
    for text in source.allowed_networks:
        _network(text)
    # A source that is sent its metrics may name where they go on to, and need not.
    if source.url or source.kind != KIND:
        _check_url(source)


def _network(text: str) -> None:
    try:
        ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        raise BadSource(
            "allowed_networks", f"{text[:50]!r} is no network like 10.1.0.0/16"
        ) from None


def _check_url(source: Source) -> None:
    policy = policy_for(allowed_networks=source.allowed_networks)
    try:
        check_address(url=source.url, policy=policy)
    except OutboundRefused as error:
        raise BadSource("url", str(error)) from error
    parts = urlsplit(source.url)
    # Whoever may read of the source reads its address; and what is asked stands behind it.
    if parts.fragment or (source.kind != KIND and parts.query):
        raise BadSource("url", "write it without `?` and `#`; a token is entered as credential")
    # A store that metrics go on to may need its database named behind it, and nothing secret.
    told = parse_qsl(parts.query, keep_blank_values=True)
    if holds_credential(text=source.url) or any(
        names_credential(name=name) or is_opaque(text=value) for name, value in told
    ):
        raise BadSource("url", "it holds what looks like a token; enter that as credential")
