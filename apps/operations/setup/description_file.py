"""The YAML of a set-up → what it describes. Every fault is found before anything is made."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import yaml

from apps.diagnosis.model import Layer
from apps.fleet.hosts.host_aliases import MOST
from apps.fleet.models import ParticipationRole
from apps.operations.setup.consistency import doubles
from apps.operations.setup.parties import (
    EVERYTHING,
    BadParties,
    ClusterDescription,
    OrganizationDescription,
    Person,
    SetupError,
    SourceWanted,
    TokenWanted,
)
from apps.operations.setup.single_sign_on import read_single_sign_on
from apps.operations.setup.yaml_nodes import Spot, YamlReader
from apps.sharing.presets.preset_terms import preset_names
from apps.telemetry.files.path_suggestions import path_meant
from apps.telemetry.metrics.source_settings import BadSource, check_values
from apps.telemetry.retention.quota import figure_of
from apps.tenancy.models import MemberRole, TokenScope
from apps.tenancy.people.account import checked_email, checked_name, checked_username

PARTY = (
    *("slug", "name", "parts", "layers", "projects", "admin", "members", "token", "tokens"),
    *("sources", "hosts", "hosts_agreed", "max_stored_bytes", "requires_second_factor"),
    "single_sign_on",
)
SOURCE = ("name", "url", "kind", "networks", "label_map", "zone")
SLUG = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
MEANINGS = ("host", "cluster", "gpu", "uuid", "pci")
Item = TypeVar("Item")


def read_file(*, path: Path) -> ClusterDescription:
    """Return what a file describes; raise BadParties with all of its faults."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadParties(
            SetupError(place="", text=f"can't be read: {error.strerror}{path_meant(path=path)}")
        ) from None
    except UnicodeDecodeError as error:
        words = f"is no UTF-8 text: byte {error.start} is something else; save it as UTF-8"
        raise BadParties(SetupError(place="", text=words)) from None
    return read_text(text=text)


def read_text(*, text: str) -> ClusterDescription:
    """Return what a YAML text describes; raise BadParties with all of its faults."""
    reader = YamlReader(text)
    whole = reader.whole()
    top = reader.mapping(whole, known=("cluster", "organizations"), needed=("organizations",))
    cluster = _cluster(reader, top.get("cluster"))
    spots = reader.items(top.get("organizations"))
    parties = [_party(reader, spot) for spot in spots]
    if "cluster" not in top and any(party.parts for party in parties):
        reader.fault(whole, "`cluster` is missing: of which one are they a part?")
    if "organizations" in top and top["organizations"].node.value == []:
        reader.fault(top["organizations"], "name at least one organization")
    lines = {spot.place: spot.node.start_mark.line + 1 for spot in spots}
    faults = [*reader.faults, *doubles(parties=parties, lines=lines)]
    if faults:
        raise BadParties(*sorted(faults, key=lambda each: each.line or 0))
    return replace(cluster, parties=parties)


def read_values(*, values: dict[str, Any]) -> ClusterDescription:
    """Return what values of the same names describe; raise BadParties, without lines."""
    try:
        return read_text(text=yaml.safe_dump(values, allow_unicode=True))
    except BadParties as error:
        faults = [SetupError(place=each.place, text=each.text) for each in error.faults]
        raise BadParties(*faults) from None


def _cluster(reader: YamlReader, spot: Spot | None) -> ClusterDescription:
    if spot is None:
        return ClusterDescription(cluster="", cluster_name="", parties=())
    values = reader.mapping(spot, known=("slug", "name", "agreements"), needed=("slug",))
    slug = _slug(reader, values.get("slug"), most=60)
    name = reader.text(values.get("name"), most=120) or slug
    preset = values.get("agreements")
    words = reader.choice(preset, what="preset", among=preset_names()) if preset else ""
    return ClusterDescription(cluster=slug, cluster_name=name, parties=(), agreements=words)


def _party(reader: YamlReader, spot: Spot) -> OrganizationDescription:
    values = reader.mapping(spot, known=PARTY, needed=("slug", "name"))
    parts = _choices(reader, values.get("parts"), what="part", among=ParticipationRole.values)
    layers = _choices(reader, values.get("layers"), what="layer", among=[*Layer])
    everyone = [values["admin"]] if "admin" in values else []
    everyone += reader.items(values.get("members"))
    tokens = [values["token"]] if "token" in values else []
    tokens += reader.items(values.get("tokens"))
    return OrganizationDescription(
        slug=_slug(reader, values.get("slug"), most=40),
        name=reader.text(values.get("name"), most=80),
        parts=[ParticipationRole(each) for each in parts],
        layers=layers if "layers" in values else None,
        projects=_each(reader, values.get("projects"), lambda s: reader.text(s, most=120)),
        people=[_person(reader, each, is_admin=each is values.get("admin")) for each in everyone],
        tokens=[_token(reader, each) for each in tokens],
        sources=[_source(reader, each) for each in reader.items(values.get("sources"))],
        hosts=_hosts(reader, values.get("hosts")),
        hosts_agreed=reader.flag(values.get("hosts_agreed")),
        max_stored_bytes=_size(reader, values.get("max_stored_bytes")),
        single_sign_on=read_single_sign_on(reader, values.get("single_sign_on")),
        requires_second_factor=reader.flag(values.get("requires_second_factor")),
        place=spot.place,
    )


def _size(reader: YamlReader, spot: Spot | None) -> str:
    text = reader.text(spot, most=40)
    if spot is not None and text:
        reader.checked(spot, lambda: figure_of(text=text))
    return text


def _person(reader: YamlReader, spot: Spot, *, is_admin: bool) -> Person:
    if isinstance(spot.node.value, str):
        # `admin: anna`; of other members the role has to be said.
        name = reader.text(spot)
        if not is_admin and name:
            reader.fault(spot, "say the role too: {user: …, role: admin | responder | viewer}")
        return Person(username=_username(reader, spot, name))
    known = ("user", "name", "email") if is_admin else ("user", "name", "email", "role")
    needed = ("user",) if is_admin else ("user", "role")
    values = reader.mapping(spot, known=known, needed=needed)
    texts = {name: reader.text(values.get(name)) for name in ("user", "name", "email")}
    role = MemberRole.ADMIN.value
    if "role" in values:
        role = reader.choice(values["role"], what="role", among=MemberRole.values)
    for name, check in (("name", checked_name), ("email", checked_email)):
        if name in values:
            _ask(reader, values[name], check, texts[name])
    return Person(
        username=_username(reader, values.get("user", spot), texts["user"]),
        role=MemberRole(role or MemberRole.VIEWER),
        name=texts["name"],
        email=texts["email"],
    )


def _token(reader: YamlReader, spot: Spot) -> TokenWanted:
    if isinstance(spot.node.value, str):
        return TokenWanted(name=reader.text(spot, most=80))
    values = reader.mapping(spot, known=("name", "scopes", "days"), needed=("name", "scopes"))
    scopes = _some(reader, values.get("scopes"), what="scope", among=TokenScope.values)
    return TokenWanted(
        name=reader.text(values.get("name"), most=80),
        scopes=frozenset(TokenScope(each) for each in scopes) or EVERYTHING,
        days=reader.number(values.get("days"), least=1, most=3650),
    )


def _source(reader: YamlReader, spot: Spot) -> SourceWanted:
    values = reader.mapping(spot, known=SOURCE, needed=("name", "url"))
    if "kind" in values:
        reader.choice(values["kind"], what="kind of source", among=("prometheus",))
    given: dict[str, Any] = {"url": reader.text(values.get("url"))}
    if "networks" in values:
        networks = reader.items(values["networks"])
        given["allowed_networks"] = [reader.text(each, most=50) for each in networks]
    if "zone" in values:
        given["zone"] = reader.text(values["zone"], most=64)
    if "label_map" in values:
        given["label_map"] = {
            label: reader.choice(each, what="meaning", among=MEANINGS)
            for label, each in reader.pairs(values["label_map"]).items()
        }
    if given["url"]:
        try:
            check_values(values=given)
        except BadSource as error:
            field = {"allowed_networks": "networks"}.get(error.field, error.field)
            reader.fault(values.get(field, spot), str(error))
    return SourceWanted(name=reader.text(values.get("name"), most=120), values=given)


def _hosts(reader: YamlReader, spot: Spot | None) -> dict[str, Sequence[str]]:
    if spot is None:
        return {}
    found: dict[str, Sequence[str]] = {}
    for host, names in reader.pairs(spot).items():
        found[host] = _each(reader, names, lambda each: reader.text(each, most=253))
        if len(found[host]) > MOST:
            reader.fault(names, f"at most {MOST} other names")
    return found


def _slug(reader: YamlReader, spot: Spot | None, *, most: int) -> str:
    slug = reader.text(spot, most=most)
    if spot is not None and slug and not SLUG.fullmatch(slug):
        reader.fault(spot, f"'{slug}' stands in addresses: letters, digits, - and _ only")
    return slug


def _username(reader: YamlReader, spot: Spot, text: str) -> str:
    return _ask(reader, spot, checked_username, text) if text else ""


def _ask(reader: YamlReader, spot: Spot, check: Callable[..., str], text: str) -> str:
    return reader.checked(spot, lambda: check(text=text)) or ""


def _some(reader: YamlReader, spot: Spot | None, *, what: str, among: Sequence[str]) -> list[str]:
    if spot is not None and spot.node.value == []:
        reader.fault(spot, f"name at least one of {', '.join(among)}")
    return _choices(reader, spot, what=what, among=among)


def _choices(
    reader: YamlReader, spot: Spot | None, *, what: str, among: Sequence[str]
) -> list[str]:
    return _each(reader, spot, lambda each: reader.choice(each, what=what, among=among))


def _each(reader: YamlReader, spot: Spot | None, read: Callable[[Spot], Item]) -> list[Item]:
    found = [read(each) for each in reader.items(spot)]
    return list(dict.fromkeys(each for each in found if each))
