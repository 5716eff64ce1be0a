"""What step traces said, kept beside their attempt: the figures, never the trace."""

import hashlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from apps.fleet.values import AttemptView, SessionView
from apps.reliability.stragglers.values import FindingView, RankPlace
from apps.telemetry.files.unusable_input import UnusableInput
from apps.telemetry.models import StragglerFinding
from apps.telemetry.step_traces.straggler_json import as_json
from apps.telemetry.step_traces.trace_jobs import TracedJob, TraceRoom, jobs_of
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization

MOST_OF_ATTEMPT: Final = 200  # traces of one attempt: of more the oldest goes
MOST_WORKERS, MOST_STEPS, MOST_LATE = 64, 512, 64
# What is read while its sender waits: some 400 MiB and ten seconds at the worst.
ROOM: Final = TraceRoom(cells=6_000_000, replayed_cells=300_000_000)
SEVERAL: Final = (
    "these files are of several jobs; send the tables one by one, profiles and Inspector files of "
    "one job together"
)


def keep_trace(
    *,
    actor: Actor,
    session: SessionView,
    attempt: int,
    files: Sequence[tuple[str, bytes]],
    now: datetime,
) -> FindingView:
    """Read a trace of an attempt and keep what it says; the same files again change nothing.

    Raises UnusableInput. Needs the actor's scope, and a session that came through a door.
    """
    actor.require(Right.ACT)
    jobs = jobs_of(files, room=ROOM)
    if len(jobs) != 1:
        raise UnusableInput(SEVERAL)
    own = StragglerFinding.objects.for_organization(actor.organization)
    mine = own.filter(session=session.id, attempt_number=attempt)
    digest = _digest(files)
    made = finding_row(
        owner=actor.organization,
        session_id=session.id,
        attempt=attempt,
        job=jobs[0],
        told_by=actor.name,
        now=now,
    )
    made.digest, made.form = digest, _form(files, jobs[0])
    StragglerFinding.objects.bulk_create([made], ignore_conflicts=True)
    oldest = mine.order_by("-added_at", "-id").values_list("pk", flat=True)[MOST_OF_ATTEMPT:]
    own.filter(pk__in=list(oldest)).delete()
    return finding_view(mine.get(digest=digest), {})


def findings_of(
    *, actor: Actor, session: SessionView, attempts: Iterable[AttemptView]
) -> tuple[FindingView, ...]:
    """Return what the organization's own traces say of a session, the newest first."""
    actor.require(Right.READ)
    ranks = {each.number: each.ranks for each in attempts}
    own = StragglerFinding.objects.for_organization(actor.organization)
    rows = own.filter(session=session.id).order_by("-added_at", "-id")[:MOST_OF_ATTEMPT]
    return tuple(finding_view(row, ranks.get(row.attempt_number, {})) for row in rows)


def finding_view(row: StragglerFinding, ranks: Mapping[str, Any]) -> FindingView:
    """Return a finding, with the place of the worker that it names."""
    verdict = row.body.get("verdict") or {}
    what_if = row.body.get("what_if") or {}
    worker = verdict.get("worker")
    return FindingView(
        public_id=row.public_id,
        attempt=row.attempt_number,
        added_at=row.added_at,
        added_by=row.added_by,
        form=row.form,
        cause=row.cause,
        slowdown=row.slowdown,
        discrepancy=row.discrepancy,
        is_refused=bool(what_if.get("is_refused")),
        what_if=what_if,
        verdict=verdict,
        late_members=row.body.get("late_members") or (),
        worker=rank_place(int(worker["rank"]), ranks) if worker else None,
    )


def rank_place(rank: int, ranks: Mapping[str, Any]) -> RankPlace:
    """Return where a rank runs, as schedulers reported it."""
    told = ranks.get(str(rank)) or {}
    gpu = told.get("gpu")
    return RankPlace(
        rank=rank,
        host=str(told.get("host") or ""),
        gpu=gpu if isinstance(gpu, int) and not isinstance(gpu, bool) else None,
    )


def _digest(files: Sequence[tuple[str, bytes]]) -> bytes:
    """Return what tells the files of a trace, in any order and under any name."""
    parts = sorted(hashlib.sha256(raw).digest() for _, raw in files)
    return hashlib.sha256(b"".join(parts)).digest()


def _form(files: Sequence[tuple[str, bytes]], job: TracedJob) -> str:
    if job.late or job.found is None:
        return "inspector"
    is_json = files[0][1].lstrip()[:1] in {b"{", b"["}
    return "chrome" if is_json else "ndtimeline"


def finding_row(
    *,
    owner: Organization,
    session_id: int,
    attempt: int,
    job: TracedJob,
    told_by: str,
    now: datetime,
) -> StragglerFinding:
    """Return what a trace says as a row that lacks the digest and the form of its files."""
    found, verdict = job.found, job.verdict
    is_told = found is not None and not found.is_refused
    return StragglerFinding(
        organization=owner,
        public_id="STR-" + secrets.token_hex(4).upper(),
        session_id=session_id,
        attempt_number=attempt,
        added_at=now,
        added_by=told_by[:150],
        cause=verdict.cause.value if verdict else "",
        slowdown=found.slowdown if found and is_told else None,
        discrepancy=found.discrepancy if found else None,
        body=_body(job),
    )


def _body(job: TracedJob) -> dict[str, Any]:
    """Return the published figures, the longest lists cut."""
    (told,) = as_json([job], None)["jobs"]
    what_if = dict(told["what_if"] or {})
    for name, most in (("workers", MOST_WORKERS), ("by_step", MOST_STEPS)):
        if name in what_if:
            what_if[name] = what_if[name][:most]
    return {
        "verdict": told["verdict"],
        "what_if": what_if or None,
        "late_members": told["late_members"][:MOST_LATE],
    }
