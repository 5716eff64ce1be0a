"""Who may say what, in words: on Connect, on a session and on an incident."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypedDict

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.fleet.authority.rules import SenderStanding, Subject, standing_of
from apps.fleet.models import ParticipationRole
from apps.fleet.values import AttemptView
from apps.web import words

SUBJECTS: Final[dict[Subject, Promise]] = {
    Subject.SESSION: gettext_lazy("Starts, ends and states of sessions"),
    Subject.SESSION_HOSTS: gettext_lazy("Hosts and ranks of sessions"),
    Subject.SESSION_LOG: gettext_lazy("Logs of sessions"),
    Subject.HOST: gettext_lazy("Kernel and BMC logs, metrics of hosts"),
    Subject.FABRIC: gettext_lazy("Fabric logs and metrics"),
    Subject.STORAGE: gettext_lazy("Storage logs and metrics"),
    Subject.SCHEDULER: gettext_lazy("Scheduler logs"),
    Subject.NODES: gettext_lazy("Hosts and their other names"),
    Subject.GPUS: gettext_lazy("GPUs and NVSwitches"),
    Subject.LINKS: gettext_lazy("Network adapters, links and switches"),
    Subject.MOUNTS: gettext_lazy("Mounts"),
    Subject.PROJECTS: gettext_lazy("Whose project is whose"),
    Subject.EXCLUSIONS: gettext_lazy("Which nodes are left out"),
}
FIELDS: Final[dict[str, Promise]] = {
    "state": gettext_lazy("State"),
    "started_at": gettext_lazy("Start"),
    "ended_at": gettext_lazy("End"),
    "hosts": gettext_lazy("Hosts"),
    "ranks": gettext_lazy("Ranks"),
    "exit_codes": gettext_lazy("Exit codes"),
    "world_size": gettext_lazy("Size"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectAuthority:
    """What an organization's word is worth on one subject."""

    subject: str
    standing: str
    text: str


class AuthorityLabel(TypedDict):
    """By what an organization's word in a cluster is weighed."""

    parts: list[ParticipationRole]
    layers: list[str]
    agreed: list[ParticipationRole]


def standings(
    *,
    parts: Sequence[ParticipationRole],
    layers: Sequence[str],
    agreed: Sequence[ParticipationRole],
) -> tuple[SubjectAuthority, ...]:
    """Return the table for the parts of one organization."""
    return tuple(
        _said(subject, name, parts=parts, layers=layers, is_agreed=bool(agreed))
        for subject, name in SUBJECTS.items()
    )


def is_taken(
    *,
    subject: Subject,
    parts: Sequence[ParticipationRole],
    layers: Sequence[str],
    agreed: Sequence[ParticipationRole],
) -> bool:
    """Say whether anything that an organization says of a subject is taken from it."""
    return any(
        standing_of(
            parts=parts, layers=layers, subject=subject, is_own=is_own, is_agreed=bool(agreed)
        )
        is not SenderStanding.REFUSED
        for is_own in (True, False)
    )


def _said(
    subject: Subject,
    name: Promise,
    *,
    parts: Sequence[ParticipationRole],
    layers: Sequence[str],
    is_agreed: bool,
) -> SubjectAuthority:
    own, others = (
        standing_of(parts=parts, layers=layers, subject=subject, is_own=is_own, is_agreed=is_agreed)
        for is_own in (True, False)
    )
    return SubjectAuthority(subject=str(name), standing=str(own), text=_words(own, others))


def _words(own: SenderStanding, others: SenderStanding) -> str:
    if own is SenderStanding.REFUSED:
        return _("not taken from you")
    if own is SenderStanding.CLAIMED:
        return _("claimed: evidence in your own incidents alone, and marked there")
    if others is SenderStanding.ASSERTED:
        return _("asserted: counts for every party")
    return _("asserted of what is yours: counts for every party")


def hosts_note(*, are_claimed: bool) -> str:
    """Return what is missing while only its tenant says where an attempt ran; else nothing."""
    if not are_claimed:
        return ""
    return _(
        "Only its tenant says where this ran: what other parties know of these hosts does not "
        "join it. The scheduler's report can confirm the hosts, or the operator under Settings, "
        "Clusters."
    )


def reported(*, attempt: AttemptView | None, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield who reported what of an attempt, and what else was said of it; `names` by slug."""
    if attempt is None:
        return
    for field, name in FIELDS.items():
        source = attempt.field_sources.get(field)
        if source:
            who = _who(source[0], source[2:], names)
            yield _("%(field)s, reported by") % {"field": name}, who
    for other in attempt.contradictions:
        who = _who(other["organization"], [other["standing"]], names)
        told = {"who": who, "what": _value(other)}
        name = FIELDS.get(other["field"], other["field"])
        yield (
            _("%(field)s, contradicted") % {"field": name},
            _("%(who)s said: %(what)s") % told,
        )


def sources_of(attempts: Iterable[AttemptView]) -> frozenset[str]:
    """Return the slugs of those who reported anything of attempts."""
    found = {source[0] for each in attempts for source in each.field_sources.values() if source}
    return frozenset(found) | {
        other["organization"] for each in attempts for other in each.contradictions
    }


def who_said(slug: str, *, is_claimed: bool, names: Mapping[str, str]) -> str:
    """Return whose word it is, by name, marked where it is only claimed."""
    who = names.get(slug, slug)
    return _("%(who)s (claimed)") % {"who": who} if is_claimed else who


def _who(slug: str, standing: Sequence[str], names: Mapping[str, str]) -> str:
    return who_said(slug, is_claimed="claimed" in standing, names=names)


def _value(said: Mapping[str, object]) -> str:
    value = said["value"]
    if said["field"] == "state":
        return words.said(words.STATES, str(value), str(value))
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_place(each)}" for key, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _place(value: object) -> str:
    return str(value.get("host", "")) if isinstance(value, dict) else str(value)
