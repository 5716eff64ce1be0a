"""Days of a small cluster, one after the other: logs come in, sessions die, old things go."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import connections

from apps.fleet.models import Attempt
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.correlation.incident_rows.hit_attempts import SETTLES_AFTER
from apps.incidents.models import EvidenceItem
from apps.telemetry.logs.raw_lines import lines_around
from apps.telemetry.models import Batch, Event, LogChunk
from apps.telemetry.retention import usage
from apps.telemetry.retention.classes import RetentionClass
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in, retire, xid
from tests.cast import make
from tests.cast.pushes import Cast

# Over by now: the database drops no day that is still to come by its own clock.
START = make.AT - timedelta(days=400)
HOSTS = 4
RUNS_EVERY = 4  # days
DIES_EVERY = 20
GROWING = (
    *("telemetry_batch", "telemetry_logchunk", "telemetry_logstream", "telemetry_event"),
    *("telemetry_progress", "telemetry_voiceextent", "telemetry_touchedwindow"),
)


@dataclass(frozen=True, kw_only=True)
class Days:
    """The simulated days of some parties."""

    people: Cast
    lines: int  # of each log and day
    xids: int  # of each kernel log and day
    cited: dict[str, list[str]] = field(default_factory=dict)  # reference → lines around it

    def live(self, *, days: int) -> Iterator[int]:
        """Let the days pass and yield each as it ends, with its old things gone."""
        make.agreed(organization=self.people.tenant, cluster=self.people.cluster)
        for day in range(days):
            self._one(day)
            retire(self.people.operator, now=self.evening(day))
            # Whoever sends little is looked at as seldom here; at the end everybody is.
            if day % RUNS_EVERY == 0 or day == days - 1:
                retire(self.people.tenant, now=self.evening(day))
            yield day

    def at(self, day: int) -> datetime:
        """Return the hour of a day at which things come in."""
        return START + timedelta(days=day)

    def evening(self, day: int) -> datetime:
        """Return the end of a day."""
        return self.at(day) + timedelta(hours=21, minutes=30)

    @property
    def _everybody(self) -> tuple[Organization, ...]:
        return self.people.operator, self.people.tenant

    def _one(self, day: int) -> None:
        at, host = self.at(day), f"gpu{day % HOSTS:03d}"
        noise = [
            f"{at:%Y-%m-%dT%H:%M:%S}+00:00 {host} kernel: {day} {n}" for n in range(self.lines)
        ]
        errors = [xid(day * self.xids + n, at, host) for n in range(self.xids)]
        come_in(
            *(self.people.operator, self.people.cluster, [*noise, *errors]),
            at=at,
            stream="kernel",
            host=host,
        )
        if day % RUNS_EVERY == 0:
            self._run(day, at, host)

    def _run(self, day: int, at: datetime, host: str) -> None:
        name, dies = f"run-{day}", day % DIES_EVERY == 0
        steps = [f"[{at:%Y-%m-%d %H:%M:%S},000] step {day} {n}" for n in range(self.lines)]
        last = [f"{at:%Y-%m-%d %H:%M:%S} {DEATH}"] if dies else []
        come_in(
            *(self.people.tenant, self.people.cluster, [*steps, *last]),
            at=at,
            session=name,
            host=host,
        )
        if dies:
            self._diagnose(name, at)

    def _diagnose(self, name: str, at: datetime) -> None:
        with organization_scope(self.people.tenant.pk):
            attempt = Attempt.objects.get(session__name=name)
        for later in (timedelta(seconds=5), timedelta(seconds=9) + SETTLES_AFTER):
            correlate_attempt(owner_id=self.people.tenant.pk, attempt_id=attempt.pk, now=at + later)
        self.cited.update(self.opened())

    def opened(self) -> dict[str, list[str]]:
        """Return the lines around everything that incidents cite of logs, as holders open them."""
        found = {}
        for holder in self._everybody:
            actor = Actor(organization=holder, rights=frozenset({Right.READ}))
            with organization_scope(holder.pk):
                references = EvidenceItem.objects.filter(reference__startswith="stream:")
                for reference in sorted(set(references.values_list("reference", flat=True))):
                    stream, _, number = reference.removeprefix("stream:").partition("/")
                    lines = lines_around(
                        actor=actor, stream_id=int(stream), number=int(number), margin=10
                    )
                    found[reference] = [line.text for line in lines]
        return found

    def lost(self) -> list[str]:
        """Return what was readable around a citation when it was made, and is no longer."""
        now = self.opened()
        return [
            line
            for reference, lines in self.cited.items()
            for line in set(lines) - set(now[reference])
        ]

    def estimated(self) -> int:
        """Return how much the portal thinks these tables take."""
        total = 0
        for holder in self._everybody:
            with organization_scope(holder.pk):
                usage.measure(organization_id=holder.pk, now=make.AT, is_whole=True)
                kept = usage.kept_of(organization_id=holder.pk)
            total += kept[RetentionClass.RAW].byte_count + kept[RetentionClass.EVENTS].byte_count
        return total

    def days_kept(self) -> tuple[int, int, int]:
        """Return of how many days there are batches, raw text and events."""
        kept: tuple[set[datetime], set[datetime], set[datetime]] = (set(), set(), set())
        for holder in self._everybody:
            with organization_scope(holder.pk):
                kept[0].update(Batch.objects.values_list("received_at", flat=True))
                kept[1].update(LogChunk.objects.values_list("batch__received_at", flat=True))
                kept[2].update(Event.objects.values_list("received_at", flat=True))
        return len(kept[0]), len(kept[1]), len(kept[2])


def sizes() -> dict[str, int]:
    """Return what the tables that grow take on the disk, once what went was cleaned up behind."""
    with connections["owner"].cursor() as cursor:
        for table in GROWING:
            cursor.execute(f"VACUUM {table}")  # our own names
        cursor.execute(
            "SELECT relname, coalesce((SELECT sum(pg_total_relation_size(relid)) FROM"
            " pg_partition_tree(oid)), pg_total_relation_size(oid))::bigint FROM pg_class"
            " WHERE relname = ANY(%s) AND relkind IN ('r', 'p')",
            [list(GROWING)],
        )
        return dict(cursor.fetchall())


DEATH = (
    "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1333, "
    "remote process exited or there was a network error"
)
