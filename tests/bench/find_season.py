"""What the bench of the search searches: incidents, nodes with GPUs, a million log lines."""

from copy import copy
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cast.incidents import Cast

INCIDENTS, NODES, GPUS, LINES, CHUNK_LINES = 10_000, 63, 8, 1_000_000, 2_000
HOSTS = tuple(f"gpu{number:03}" for number in range(NODES))
CAUSES = (("gpu", "gpu-off-bus"), ("network", "link-down"), ("storage", "mount-stalled"))


def season(*, now: datetime) -> "Cast":
    """Record what is searched."""
    from tests.cast.incidents import assemble  # noqa: PLC0415  needs settings

    cast = assemble()
    _inventory(cast, now)
    _incidents(cast, now)
    _lines(cast, now)
    return cast


def _inventory(cast: "Cast", now: datetime) -> None:
    from apps.fleet.models import Device, Node  # noqa: PLC0415  needs settings
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same

    seen = {"first_seen_at": now - timedelta(days=73), "last_seen_at": now}
    owner = {"organization": cast.operator}
    with organization_scope(cast.operator.pk):
        nodes = Node.objects.bulk_create(
            Node(cluster=cast.cluster, name=name, **owner, **seen) for name in HOSTS
        )
        Device.objects.bulk_create(
            Device(
                node=node,
                kind="gpu",
                index=index,
                uuid=f"{node.name}-{index}-{'0' * 20}",
                pci=f"0000:{index:02x}:00.0",
                **owner,
                **seen,
            )
            for node in nodes
            for index in range(GPUS)
        )


def _incidents(cast: "Cast", now: datetime) -> None:
    """Copy one recorded stop of a session: rows as they are written, by thousands."""
    from apps.fleet.models import Attempt, Session, SessionParty  # noqa: PLC0415  needs settings
    from apps.incidents.models import (  # noqa: PLC0415  the same
        Incident,
        IncidentParty,
        IncidentSession,
    )
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same
    from tests.cast.incidents import attempt_of, stop_of  # noqa: PLC0415  the same

    first = stop_of(cast, attempt_of(cast, cast.tenant, hosts=list(HOSTS)))
    with organization_scope(*cast.ids):
        parties = list(IncidentParty.objects.filter(incident=first))
        hit = IncidentSession.objects.get(incident=first)
        numbers = range(INCIDENTS)
        sessions = Session.objects.bulk_create(
            Session(
                organization=cast.tenant,
                public_id=f"SES-{number}",
                cluster=cast.cluster,
                scheduler="slurm",
                name=f"pretrain-{number}",
                job=f"llm-{number % 40}",
                created_at=now,
            )
            for number in numbers
        )
        SessionParty.objects.bulk_create(
            SessionParty(organization=who, session=session)
            for session in sessions
            for who in (cast.tenant, cast.operator)
        )
        attempts = Attempt.objects.bulk_create(
            Attempt(
                organization=cast.tenant,
                session=session,
                hosts=HOSTS[number % 3 :: 3],
                hosts_asserted=True,
                started_at=now - timedelta(minutes=10 * (INCIDENTS - number)),
                state="failed",
            )
            for number, session in enumerate(sessions)
        )
        incidents: list[Incident] = []
        for number, attempt in enumerate(attempts):
            layer, cause = CAUSES[number % 3]
            row = copy(first)
            row.pk, row.public_id, row.attempt = None, f"INC-X{number}", attempt
            row.layer, row.cause, row.started_at = layer, cause, attempt.started_at
            row.culprits = [{"kind": "gpu", "host": HOSTS[number % NODES], "index": 1}]
            incidents.append(row)
        made = Incident.objects.bulk_create(incidents, batch_size=1000)
        IncidentParty.objects.bulk_create(
            (
                IncidentParty(
                    organization_id=party.organization_id,
                    incident=incident,
                    parts=party.parts,
                    sees_culprit=party.sees_culprit,
                )
                for incident in made
                for party in parties
            ),
            batch_size=5000,
        )
        IncidentSession.objects.bulk_create(
            (
                IncidentSession(
                    organization=cast.tenant,
                    incident=incident,
                    session_id=attempt.session_id,
                    attempt=attempt,
                    conclusion=hit.conclusion,
                )
                for incident, attempt in zip(made, attempts, strict=True)
            ),
            batch_size=2000,
        )


def _lines(cast: "Cast", now: datetime) -> None:
    from apps.telemetry.formats.pack import packed_chunk  # noqa: PLC0415  needs settings
    from apps.telemetry.models import Batch, LogChunk, LogStream  # noqa: PLC0415  the same
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same

    with organization_scope(cast.operator.pk):
        streams = LogStream.objects.bulk_create(
            LogStream(
                organization=cast.operator,
                cluster=cast.cluster,
                kind="kernel",
                host=host,
                label_digest=host.encode().ljust(32),
                labels={},
            )
            for host in HOSTS
        )
        batch = Batch.objects.create(
            organization=cast.operator,
            public_id="BAT-1",
            digest=b"d" * 32,
            received_at=now,
            protocol="upload",
            body=b"",
            state="interpreted",
        )
        for part in range(LINES // CHUNK_LINES):
            first = part * CHUNK_LINES
            text = "\n".join(
                f"[{first + n:>9}.{n:06}] mlx5_core 0000:{n % 90:02x}:00.0: health {n * 7919}"
                for n in range(CHUNK_LINES)
            )
            LogChunk.objects.create(
                organization=cast.operator,
                stream=streams[part % NODES],
                batch=batch,
                arrived_on=now.date(),
                part=part,
                first_key=first,
                last_key=first + CHUNK_LINES,
                line_count=CHUNK_LINES,
                body=packed_chunk(text=text.encode(), stamps=None),
            )
