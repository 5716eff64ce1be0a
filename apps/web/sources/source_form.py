"""The form of a metrics source: what was typed becomes values, or says in words what is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _

from apps.diagnosis import zone_names
from apps.diagnosis.spelling import nearest
from apps.telemetry.metrics.source_settings import BadSource, SourceSettings
from apps.web.shell.address_filters import is_meant
from apps.web.sources.source_page import SourceFields

LIMITS = {"name": 120, "url": 500, "zone": 64, "ca_pem": 100_000, "secret": 4000}
AUTHS = ("none", "basic", "bearer")
MEANINGS = ("host", "cluster", "gpu", "uuid", "pci")
ENTRIES = 50
ENTRY_LENGTH = 50


@dataclass(slots=True, kw_only=True)
class FilledForm:
    """A form as it was sent: what it shows again, what it means, what is wrong with it."""

    fields: SourceFields
    wanted: SourceSettings
    problems: dict[str, str] = field(default_factory=dict)


def read(post: QueryDict, *, is_pushed: bool = False) -> FilledForm:
    """Return what was typed; problems by field where something can't be meant."""
    problems: dict[str, str] = {}
    text = {name: _text(post, name, problems) for name in LIMITS}
    networks = _lines(post.get("allowed_networks", ""), "allowed_networks", problems)
    label_map = _label_map(_lines(post.get("label_map", ""), "label_map", problems), problems)
    auth = post.get("auth", "none")
    if auth not in AUTHS:
        problems["auth"] = _("Choose one of these.")
    if auth == "basic" and text["secret"] and ":" not in text["secret"]:
        problems["secret"] = _("For a name and password write both, with a colon between them.")
    # What is sent here may go on to an address, and need not.
    for name in ("name",) if is_pushed else ("name", "url"):
        if not text[name]:
            problems.setdefault(name, _("This is needed."))
    secret = text.pop("secret")
    switches = {name: post.get(name) == "1" for name in ("verify_tls", "is_enabled")}
    fields = SourceFields(
        name=text["name"],
        url=text["url"],
        auth=auth,
        cluster=post.get("cluster", ""),
        verify_tls=switches["verify_tls"],
        ca_pem=text["ca_pem"],
        allowed_networks=post.get("allowed_networks", ""),
        label_map=post.get("label_map", ""),
        zone=text["zone"],
        is_enabled=switches["is_enabled"],
    )
    values: dict[str, Any] = {
        **text,
        **switches,
        "auth": auth,
        "allowed_networks": networks,
        "label_map": label_map,
    }
    return FilledForm(
        fields=fields,
        wanted=SourceSettings(values=values, credential=secret or None),
        problems=problems,
    )


def problem_of(error: BadSource, *, has_secret: bool, zone: str) -> Mapping[str, str]:
    """Return what the portal refused, at the field it is about, as a sentence."""
    if error.field == "credential":
        again = _(
            "Enter the secret again: who answers at this address would get the one that is kept."
        )
        return {"secret": again if has_secret else _("This kind of sign-in needs a secret.")}
    if error.field == "name":
        return {"name": _("Another source of this cluster has this name.")}
    if error.field == "zone":
        found = zone_names.zone_meant(name=zone)
        said = _("Write a zone like Asia/Seoul, or leave it empty.")
        return {"zone": f"{said} {is_meant(found)}" if found else said}
    text = str(error)
    return {error.field: f"{text[:1].upper()}{text[1:]}."}


def _text(post: QueryDict, name: str, problems: dict[str, str]) -> str:
    given = post.get(name, "")
    # Browsers end lines of a text field in their own way; that must not look like a change.
    value = given if name == "secret" else given.strip().replace("\r\n", "\n")
    if len(value) > LIMITS[name] or "\x00" in value:
        problems[name] = _("At most %(n)s characters.") % {"n": LIMITS[name]}
        return ""
    if name == "name" and not value.isprintable():
        problems[name] = _("Write it in one line, without control characters.")
        return ""
    return value


def _lines(text: str, name: str, problems: dict[str, str]) -> list[str]:
    lines = [line.strip() for line in text.replace(",", "\n").splitlines() if line.strip()]
    too_long = any(len(line) > ENTRY_LENGTH or "\x00" in line for line in lines)
    if len(lines) > ENTRIES or too_long:
        problems[name] = _("At most 50 lines of 50 characters.")
        return []
    return lines


def _label_map(lines: list[str], problems: dict[str, str]) -> dict[str, str]:
    try:
        return dict(_pair(line) for line in lines)
    except ValidationError as error:
        problems["label_map"] = error.messages[0]
        return {}


def _pair(line: str) -> tuple[str, str]:
    label, _equals, means = (part.strip() for part in line.partition("="))
    if not label or means not in MEANINGS:
        said = _("%(line)s: write label=meaning, with one of host, cluster, gpu, uuid, pci.")
        found = nearest(word=means, known=MEANINGS)
        hint = f" {is_meant(found)}" if found else ""
        raise ValidationError(said % {"line": line} + hint)
    return label, means
