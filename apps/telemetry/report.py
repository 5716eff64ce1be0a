"""Diagnosis → a note for people: terminal text, Markdown, one HTML page. The three answers first,
then the evidence.
"""

from collections.abc import Iterator
from html import escape

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import (
    CoverageState,
    Device,
    Diagnosis,
    Evidence,
    Hypothesis,
    VerdictStatus,
)

ADVICE = {
    "restart": "Yes. Start it again as it is.",
    "restart-without": "Yes, but leave out the hosts named below.",
    "fix-first": "Not yet. Fix the cause first, or it will fail the same way.",
    "wait": "Wait until the shared part named below is back.",
    "unknown": "Nobody can say from this evidence. A restart is a gamble.",
}
MOST_EVIDENCE = 8
BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"

Section = tuple[str, list[str]]


def as_text(*, diagnosis: Diagnosis, is_colored: bool = False) -> str:
    """Return the note for a terminal."""
    lines: list[str] = []
    for title, body in sections(diagnosis=diagnosis):
        lines.append(f"{BOLD}{title}{PLAIN}" if is_colored else title)
        lines.extend(f"  {line}" for line in body)
        lines.append("")
    return "\n".join(lines)


def as_markdown(*, diagnosis: Diagnosis) -> str:
    """Return the note as Markdown."""
    lines: list[str] = []
    for title, body in sections(diagnosis=diagnosis):
        lines.extend([f"## {title}", "", *(f"- {line}" for line in body), ""])
    return "\n".join(lines)


def as_html(*, diagnosis: Diagnosis) -> str:
    """Return the note as one page without scripts."""
    parts = ["<!doctype html><html lang=en><meta charset=utf-8><title>Faultline diagnosis</title>"]
    for title, body in sections(diagnosis=diagnosis):
        items = "".join(f"<li>{escape(line)}</li>" for line in body)
        parts.append(f"<h2>{escape(title)}</h2><ul>{items}</ul>")
    return "\n".join([*parts, "</html>"])


def sections(*, diagnosis: Diagnosis) -> list[Section]:
    """Return titled lists of sentences, the three answers first; empty sections are left out."""
    found: list[Section] = [
        ("Why did it stop?", list(_why(diagnosis))),
        ("Start it again?", [ADVICE[diagnosis.restart.advice]]),
        ("Leave out", [", ".join(diagnosis.restart.exclude_hosts) or "nobody"]),
        ("What speaks for it", _evidence(diagnosis)),
        ("What else was considered", list(_others(diagnosis))),
        ("What is missing", list(_missing(diagnosis))),
        ("Who does what", [_action(one.text, one.owner, one.hosts) for one in diagnosis.actions]),
        ("What was read", list(_coverage(diagnosis))),
    ]
    return [(title, body) for title, body in found if body]


def _why(diagnosis: Diagnosis) -> Iterator[str]:
    verdict = diagnosis.verdict
    if verdict.status is VerdictStatus.NO_FAILURE:
        yield f"Nothing broke: the session ended as {diagnosis.end_state.value}."
        return
    if verdict.status is VerdictStatus.UNKNOWN:
        yield "Unknown: what was read does not establish a cause."
        guesses = [
            one for one in diagnosis.hypotheses if one.cause != "unknown" and one.probability > 0
        ]
        if guesses:
            yield f"Best guess: {guesses[0].layer.value}, {guesses[0].cause} ({guesses[0].probability:.0%})."  # noqa: E501  one sentence
    else:
        means = load_causes()[verdict.cause].means
        yield f"{verdict.layer.value}: {verdict.cause}. {means[0].upper()}{means[1:]}."
        yield f"{verdict.status.value.capitalize()}: {verdict.probability:.0%} for the layer, {verdict.cause_probability:.0%} for the cause."  # noqa: E501  one sentence
        if verdict.culprits:
            yield "Where: " + "; ".join(device(one) for one in verdict.culprits)
    if diagnosis.first_stopper:
        ranks = ", ".join(map(str, diagnosis.first_stopper.ranks))
        yield f"Stopped first: rank {ranks} (known by {diagnosis.first_stopper.by.value})."
    if diagnosis.failed_at:
        yield f"Began to fail at {diagnosis.failed_at:%Y-%m-%d %H:%M:%S}, while in phase {diagnosis.phase.value}."  # noqa: E501  one sentence


def device(one: Device) -> str:
    """Name a part as people do."""
    where = f" of {one.host}" if one.host and one.kind != "node" else ""
    name = one.host if one.kind == "node" else (one.name or one.pci or _number(one))
    return f"{one.kind} {name or ''}{where}".replace("  ", " ").strip()


def _number(one: Device) -> str:
    if one.index is not None:
        return str(one.index)
    return str(one.rank) if one.rank is not None else ""


def _evidence(diagnosis: Diagnosis) -> list[str]:
    if (
        diagnosis.verdict.status in {VerdictStatus.UNKNOWN, VerdictStatus.NO_FAILURE}
        or not diagnosis.hypotheses
    ):
        return []
    best = diagnosis.hypotheses[0]
    pieces = [_piece(one) for one in best.supporting[:MOST_EVIDENCE]]
    pieces += [f"against: {_piece(one)}" for one in best.opposing[:MOST_EVIDENCE]]
    return pieces


def _piece(one: Evidence) -> str:
    place = (
        f" [{one.source}:{one.line}]"
        if one.source and one.line
        else (f" [{one.source}]" if one.source else "")
    )
    at = f" at {one.at:%H:%M:%S}" if one.at else ""
    host = f" on {one.host}" if one.host else ""
    return f"{one.weight:+.1f}  {one.text}{host}{at}{place}"


def _others(diagnosis: Diagnosis) -> Iterator[str]:
    for one in diagnosis.hypotheses[
        1 if diagnosis.verdict.status is not VerdictStatus.UNKNOWN else 0 :
    ][:6]:
        if one.cause == "unknown":
            continue
        yield _other(one)


def _other(one: Hypothesis) -> str:
    reason = f": ruled out, {one.ruled_out_because}" if one.ruled_out_because else ""
    return f"{one.layer.value}, {one.cause} ({one.cause_probability:.0%}){reason}"


def _missing(diagnosis: Diagnosis) -> Iterator[str]:
    is_open = diagnosis.verdict.status is VerdictStatus.UNKNOWN
    shown = [one for one in diagnosis.hypotheses if (one.cause == "unknown") is is_open][:1]
    for one in shown:
        for missing in one.missing:
            hosts = f" of {', '.join(missing.hosts[:6])}" if missing.hosts else ""
            yield f"{missing.source}{hosts}, held by the {missing.held_by}: would {missing.would}"


def _action(text: str, owner: str, hosts: tuple[str, ...]) -> str:
    return f"{owner}: {text}" + (f" ({', '.join(hosts[:6])})" if hosts else "")


def _coverage(diagnosis: Diagnosis) -> Iterator[str]:
    for one in diagnosis.coverage:
        if one.state is CoverageState.PRESENT:
            hosts = (
                f", {one.hosts_present} of {one.hosts_expected} hosts" if one.hosts_expected else ""
            )
            yield f"{one.source}: present{hosts}"
    absent = [one.source for one in diagnosis.coverage if one.state is not CoverageState.PRESENT]
    if absent:
        yield "not there: " + ", ".join(absent)
