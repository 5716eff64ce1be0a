"""The parts of a bundle's file: what the manifest tells, and a page for whoever unpacks it."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from apps.sharing.bundles.bundle_contents import UNTOLD, BundleChoice, OwnContents, Withheld
from apps.sharing.bundles.bundle_file import SCHEMA, plain_json
from apps.sharing.bundles.bundle_redaction import RedactedContents
from apps.sharing.redaction.profiles.load import Profile
from apps.sharing.redaction.pseudonyms import Pseudonyms
from apps.sharing.terms import Level
from apps.tenancy.values import OrganizationName

ONE_OFF: Final = "one-off"


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleHead:
    """Whose bundle it is, of what, and for whom."""

    public_id: str
    incident: str
    cluster: str
    holder: OrganizationName
    recipients: tuple[OrganizationName, ...]
    agreement: str  # whose pseudonyms are in it, with its version; empty: of nobody's
    is_simulated: bool
    made_at: datetime
    expires_at: datetime


def manifest_of(
    *,
    head: BundleHead,
    choice: BundleChoice,
    profile: Profile,
    pseudonyms: Pseudonyms,
    contents: OwnContents,
    made: RedactedContents,
) -> dict[str, Any]:
    """Return what the manifest tells beside the files."""
    outside = [{"outside": choice.outside}] if choice.outside else []
    redaction: dict[str, Any] = {"level": str(choice.level)}
    if choice.level is Level.REDACTED:
        redaction |= {
            "profile": profile.name,
            "version": _version(profile, pseudonyms),
            "keeps_hosts": choice.keeps_hosts,
        }
    return {
        "schema": SCHEMA,
        "bundle": head.public_id,
        "incident": head.incident,
        "cluster": head.cluster,
        "holder": _party(head.holder),
        "recipients": [*map(_party, head.recipients), *outside],
        "basis": head.agreement or ONE_OFF,
        "purpose": choice.purpose,
        "redaction": redaction,
        "window": {"from": _time(contents.starts_at), "to": _time(contents.ends_at)},
        "counts": counts_of(made),
        "classes": classes_of(made),
        "withheld": withheld_rows(made.withheld, is_of_several=contents.is_of_several),
        "simulated": head.is_simulated,
        "made_at": _time(head.made_at),
        "expires_at": _time(head.expires_at),
    }


def counts_of(made: RedactedContents) -> dict[str, int]:
    """Return how much of each goes."""
    return {
        "evidence": len(made.evidence),
        "lines": len(made.lines),
        "series": len(made.series),
        "sessions": len(made.sessions),
    }


def classes_of(made: RedactedContents) -> list[dict[str, Any]]:
    """Return how much goes of each class of data, as agreements name them."""
    found = Counter(f"events:{each['layer'] or 'unknown'}" for each in made.evidence)
    found.update(f"logs:{each['stream']}" for each in made.lines)
    found.update(f"metrics:{told['layer']}" for told, _ in made.series)
    if made.sessions:
        found["sessions"] = len(made.sessions)
    return [{"data": data, "count": count} for data, count in sorted(found.items())]


def withheld_rows(withheld: Withheld, *, is_of_several: bool) -> list[dict[str, Any]]:
    """Return what stays back, and why; to one of several tenants nothing that tells of another."""
    return [
        {"what": str(section), "why": str(why), "count": count}
        for (section, why), count in sorted(withheld.items())
        if count and not (is_of_several and why in UNTOLD)
    ]


def files_of(*, manifest: Mapping[str, Any], made: RedactedContents) -> dict[str, bytes]:
    """Return the files of a bundle but for its manifest."""
    files = {"README.txt": _readme(manifest).encode()}
    if made.lines:
        files["lines.ndjson"] = b"".join(map(_line, made.lines))
    if made.evidence:
        files["evidence.json"] = plain_json(made.evidence)
    if made.sessions:
        files["sessions.json"] = plain_json(made.sessions)
    if made.series:
        files["series/index.json"] = plain_json([told for told, _ in made.series])
        files |= {told["file"]: table for told, table in made.series}
    return files


def _readme(manifest: Mapping[str, Any]) -> str:
    counts = manifest["counts"]
    names = ", ".join(each.get("name") or each["outside"] for each in manifest["recipients"])
    head = f"Evidence of incident {manifest['incident']}, from {manifest['holder']['name']}"
    parts = (
        ("evidence.json", f"{counts['evidence']} pieces of evidence; `line` is the one that tells"),
        ("lines.ndjson", f"{counts['lines']} log lines; those of one `block` follow each other"),
        ("series/", f"{counts['series']} series of metrics, listed in index.json; empty: a gap"),
        ("sessions.json", f"{counts['sessions']} sessions that were hit"),
    )
    withheld = [
        f"Withheld: {each['count']} {each['what']} ({WITHHELD[each['why']]})"
        for each in manifest["withheld"]
    ]
    said = [
        f"{head} for {names}.",
        "Simulated data." if manifest["simulated"] else "",
        f"Made {manifest['made_at']}, to be used until {manifest['expires_at']}.",
        f"What for: {manifest['purpose']}" if manifest["purpose"] else "",
        "",
        *(f"{name:<16}{what}" for name, what in parts),
        "",
        _redaction(manifest["redaction"]),
        *withheld,
        "",
        "manifest.json holds the size and SHA-256 of every file. To check them:",
        "    faultline verify_bundle FILE",
    ]
    return "\n".join(said) + "\n"


WITHHELD: Final[Mapping[str, str]] = {
    "not-yours": "another party's",
    "names-another-party": "they name another party",
    "not-kept": "not kept any more",
    "over-limit": "more than a bundle holds",
}


def _redaction(told: Mapping[str, Any]) -> str:
    if told["level"] == Level.FULL:
        return "Names are as they were; credentials and e-mail addresses were taken out: [secret]."
    return (
        "Names of hosts, addresses, paths, users and jobs are pseudonyms: the same name is the same"
        " thing throughout.\nCredentials and e-mail addresses were taken out: [secret]; what is cut"
        " reads \N{MEDIUM SHADE}."
    )


def _party(name: OrganizationName) -> dict[str, str]:
    return {"slug": name.slug, "name": name.name}


def _version(profile: Profile, pseudonyms: Pseudonyms) -> str:
    """Return what tells one state of a profile from another, of these recipients.

    It is keyed: the owner's words that are to be hidden could be guessed from a bare digest.
    """
    told = {str(kind): str(each) for kind, each in profile.treatments.items()}
    return pseudonyms.mark(json.dumps([told, sorted(profile.words)], sort_keys=True))


def _line(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False, sort_keys=True).encode() + b"\n"


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()
