"""73 days of a cluster of 63 nodes: 224 sessions, their retries, 523 saves, what stopped them."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.diagnosis.model import PointKind, ProgressPoint
from apps.fleet.models import Attempt, Session, SessionParty
from apps.fleet.values import attempt_view
from apps.incidents.models import Incident, IncidentParty, IncidentSession
from apps.incidents.states import IncidentKind
from apps.reliability.measures.attempts import measures_of
from apps.reliability.measures.rows import write_measures
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.training.runs.story import RunStory, run_story
from tests.cast.incidents import Cast

FIRST_DAY = datetime(2026, 3, 1, tzinfo=UTC)
DAYS, SESSIONS, SAVES, NODES, GPUS_PER_NODE = 73, 224, 523, 63, 8
STEPS = 120  # that are told of an attempt
CAUSES = (
    *(("gpu", "gpu-off-bus"), ("gpu", "gpu-nvlink"), ("gpu", "gpu-ecc"), ("network", "link-down")),
    *(("storage", "storage-unresponsive"), ("host", "node-unreachable")),
    *(("software", "cuda-out-of-memory"), ("unknown", "unknown")),
)
# Few nodes fail often, as is usual.
LEMONS = ("gpu007", "gpu021", "gpu048")


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """One attempt of a session."""

    session: int
    number: int
    begins: datetime
    ends: datetime
    state: str
    hosts: tuple[str, ...]
    saves: int


def starts(*, sessions: int = SESSIONS, saves: int = SAVES, seed: int = 0) -> list[Start]:
    """Return the attempts of a season; the same seed gives the same."""
    chance = random.Random(seed)  # noqa: S311  no secret
    made: list[Start] = []
    for session in range(sessions):
        count = 1 + chance.choice((0, 0, 0, 0, 1, 2, 5))
        begins = FIRST_DAY + timedelta(days=chance.uniform(0, DAYS - 6))
        width = chance.choice((2, 4, 8, 16, 32, 60))
        first = chance.randrange(NODES - width + 1)
        hosts = tuple(f"gpu{node:03d}" for node in range(first + 1, first + width + 1))
        for number in range(1, count + 1):
            ends = begins + timedelta(hours=chance.expovariate(1 / 14) + 0.2)
            has_failed = number < count or chance.random() < 0.4
            state = "failed" if has_failed else "finished"
            made.append(
                Start(
                    session=session,
                    number=number,
                    begins=begins,
                    ends=ends,
                    state=state,
                    hosts=hosts,
                    saves=0,
                )
            )
            begins = ends + timedelta(minutes=chance.uniform(4, 40))
    told = [chance.randrange(len(made)) for _ in range(saves)]
    return [
        Start(**{name: getattr(each, name) for name in Start.__slots__ if name != "saves"},
              saves=told.count(place))
        for place, each in enumerate(made)
    ]  # fmt: skip


def story_of(start: Start) -> RunStory:
    """Return what the logs of an attempt tell: steps from 10 minutes on, saves between them."""
    begins = start.begins + timedelta(minutes=10)
    every = (start.ends - timedelta(minutes=2) - begins) / STEPS
    gaps = {STEPS * (place + 1) // (start.saves + 1) for place in range(start.saves)}
    points, number = [], 0
    for step in range(STEPS):
        at = begins + every * (step + 1)
        number += 1
        points.append(ProgressPoint(kind=PointKind.STEP, number=number, at=at, step=step, mfu=40.0))
        if step in gaps:
            for kind, later in ((PointKind.SAVE_BEGINS, 1), (PointKind.SAVE_ENDS, 31)):
                number += 1
                points.append(
                    ProgressPoint(
                        kind=kind, number=number, at=at + timedelta(seconds=later), step=step
                    )
                )
    return run_story(steps=points)


def build_season(cast: Cast, **wanted: Any) -> list[Start]:
    """Write a season of the tenant's sessions, as reports, logs and diagnoses would have it."""
    chance = random.Random(1)  # noqa: S311  no secret
    made = starts(**wanted)
    with organization_scope(*cast.ids):
        for number in sorted({each.session for each in made}):
            rows = [each for each in made if each.session == number]
            attempts = _session(cast, cast.tenant, number, rows)
            stories = {a.pk: story_of(s) for a, s in zip(attempts, rows, strict=True)}
            measures = measures_of(
                attempts=[attempt_view(each) for each in attempts],
                stories=stories,
                now=rows[-1].ends,
            )
            write_measures(
                organization_id=cast.tenant.pk,
                session_id=attempts[0].session_id,
                measures=measures,
                now=rows[-1].ends,
            )
            for attempt, row in zip(attempts, rows, strict=True):
                if row.state == "failed":
                    _stop(cast, attempt, row, chance)
    return made


def _session(cast: Cast, tenant: Organization, number: int, rows: list[Start]) -> list[Attempt]:
    session = Session.objects.create(
        organization=tenant,
        public_id=f"SES-S{number:04d}",
        cluster=cast.cluster,
        scheduler="slurm",
        name=f"train-{number}",
        created_at=rows[0].begins,
    )
    SessionParty.objects.bulk_create(
        SessionParty(organization=each, session=session) for each in (tenant, cast.operator)
    )
    return Attempt.objects.bulk_create(
        Attempt(
            organization=tenant,
            session=session,
            number=each.number,
            state=each.state,
            started_at=each.begins,
            ended_at=each.ends,
            hosts=list(each.hosts),
            hosts_asserted=True,
            world_size=len(each.hosts) * GPUS_PER_NODE,
        )
        for each in rows
    )


def _stop(cast: Cast, attempt: Attempt, start: Start, chance: random.Random) -> Incident:
    """Write the header of a stop with its parties; nobody asks for its evidence here."""
    layer, cause = chance.choice(CAUSES)
    lemon = [each for each in start.hosts if each in LEMONS]
    host = lemon[0] if lemon and chance.random() < 0.6 else chance.choice(start.hosts)
    parts = {cast.tenant: "tenant", cast.operator: "operator", cast.vendor: "gpu_vendor"}
    parties: list[dict[str, Any]] = [
        {
            "organization": each.pk,
            "parts": [part],
            "sees_culprit": part != "gpu_vendor" or layer == "gpu",
            "answers": (part, layer)
            in {("tenant", "software"), ("operator", "host"), ("gpu_vendor", "gpu")},
        }
        for each, part in parts.items()
    ]
    incident = Incident.objects.create(
        organization=cast.tenant,
        public_id=f"INC-S{start.session:04d}N{start.number}",
        cluster=cast.cluster,
        attempt=attempt,
        kind=IncidentKind.STOP,
        verdict_status="likely" if layer != "unknown" else "unknown",
        layer=layer,
        cause=cause,
        probability=0.9,
        cause_probability=0.8,
        phase="iterate",
        end_state="failed",
        culprits=[{"kind": "node", "host": host}] if layer != "software" else [],
        restart={"advice": "restart", "exclude_hosts": []},
        parties=parties,
        started_at=start.ends,
        detected_at=start.ends,
        settled_at=start.ends + timedelta(minutes=6),
    )
    IncidentParty.objects.bulk_create(
        IncidentParty(
            organization_id=each["organization"],
            incident=incident,
            parts=each["parts"],
            sees_culprit=each["sees_culprit"],
        )
        for each in parties
    )
    IncidentSession.objects.create(
        organization=cast.tenant,
        incident=incident,
        session_id=attempt.session_id,
        attempt=attempt,
        conclusion={
            "header": {"probability": 0.9, "layer": layer, "cause": cause},
            "hypotheses": [],
            "since": start.ends.isoformat(),
        },
    )
    return incident
