"""Whether to start again and whom to leave out, in the words of the one table of decisions."""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.diagnosis.causes.decision_rows import Answer
from apps.diagnosis.causes.decisions import (
    ConcludedIncident,
    answer_of,
    beside_of,
    blamed_of,
)
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.words.titles import rival_of
from apps.wording import READERS
from apps.wording.restart import MOST_HOSTS, answer_in_words, is_start_needed, names_text
from apps.wording.restart import more as counted


def restart(header: IncidentHeader) -> str:
    """Answer whether to start again and whom to leave out, as far as the reader may know."""
    return said_in_words(
        answer=answer(header),
        hosts=_hosts(restart=header.restart, culprits=header.culprits),
        others=rival_hosts(header) or (),
    )


def is_restart_needed(header: IncidentHeader) -> bool | None:
    """Say whether it has to be started again at all; None: that can't be said yet."""
    return is_start_needed(answer=answer(header))


def rival_hosts(header: IncidentHeader) -> Sequence[str] | None:
    """Return the hosts of the cause that is as likely, None where hidden by policy."""
    said = next((each for each in header.actions if each.get("rival")), None)
    return (None if said.get("hosts") is None else list(said["hosts"])) if said else []


def restart_retold(told: Mapping[str, Any]) -> str:
    """Return the same of a header that was kept as JSON, in the reader's language."""
    parts, others = _parts(told["culprits"]), told.get("rival_hosts")
    answer = answer_of(
        concluded=ConcludedIncident(
            kind=told["kind"],
            status=told["verdict_status"],
            cause=told["cause"],
            end_state=told["end_state"],
            advice=told["restart"]["advice"],
            blamed=blamed_of(cause=told["cause"], parts=parts),
            beside=beside_of(
                rival=told.get("rival") or "", hosts=others, cause=told["cause"], parts=parts
            ),
        )
    )
    hosts = _hosts(restart=told["restart"], culprits=told["culprits"])
    return said_in_words(answer=answer, hosts=hosts, others=others or ())


def said_in_words(*, answer: Answer, hosts: Sequence[str], others: Sequence[str]) -> str:
    """Return an answer of the table in the reader's language."""
    return answer_in_words(answer=answer, hosts=hosts, others=others, speaker=READERS)


def answer(header: IncidentHeader) -> Answer:
    """Return the row of the table that holds for an incident as its reader knows it."""
    return answer_of(concluded=concluded(header))


def concluded(header: IncidentHeader) -> ConcludedIncident:
    """Return what was concluded, as far as the reader may know."""
    incident, parts = header.incident, _parts(header.culprits)
    return ConcludedIncident(
        kind=incident.kind,
        status=incident.verdict_status,
        cause=incident.cause,
        end_state=incident.end_state,
        advice=str(header.restart.get("advice", "unknown")),
        blamed=blamed_of(cause=incident.cause, parts=parts),
        beside=beside_of(
            rival=rival_of(header), hosts=rival_hosts(header), cause=incident.cause, parts=parts
        ),
    )


def _parts(culprits: Sequence[Mapping[str, Any]] | None) -> list[tuple[str, str | None]] | None:
    if culprits is None:
        return None
    return [(str(each.get("kind") or ""), each.get("host")) for each in culprits]


def _hosts(
    *, restart: Mapping[str, Any], culprits: Sequence[Mapping[str, Any]] | None
) -> list[str]:
    excluded = restart.get("exclude_hosts") or []
    blamed = {str(each["host"]) for each in culprits or () if each.get("host")}
    return list(excluded) or sorted(blamed)


def hosts_text(hosts: Sequence[str], *, limit: int = MOST_HOSTS) -> str:
    """Return host names in a row, counted where they are many."""
    return names_text(hosts, READERS, limit=limit)


def more(names: str, *, count: int) -> str:
    """Return names that stand for more of their kind: gpu001, gpu002 and 3 more."""
    return counted(names, READERS, count=count)
