"""A session that a GPU stopped, told by the logs of two parties and diagnosed from them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.fleet.models import Attempt
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.correlation.incident_rows.hit_attempts import SETTLES_AFTER
from apps.incidents.models import Incident
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in, retire, xid
from tests.cast import make
from tests.cast.pushes import Cast
from tests.cast.pushes import cast as parties

AT = make.AT
NOISE = [f"2026-11-21T01:{n // 60:02}:{n % 60:02}+00:00 gpu001 kernel: usb {n}" for n in range(300)]
CRASH = "\n".join(
    f"[rank{rank}]: 2026-11-21 02:00:{rank + 10} torch.distributed.DistBackendError: NCCL error "
    "in: ProcessGroupNCCL.cpp:1333, remote process exited or there was a network error"
    for rank in range(8)
).split("\n")


@dataclass(frozen=True, kw_only=True)
class Story:
    """An attempt that died of a GPU, its incident, and who holds what."""

    people: Cast
    attempt: Attempt

    @property
    def everybody(self) -> tuple[int, ...]:
        """The parties that hold anything."""
        return self.people.operator.pk, self.people.tenant.pk

    def look(self, now: datetime) -> None:
        """Diagnose the attempt from what is stored."""
        correlate_attempt(owner_id=self.people.tenant.pk, attempt_id=self.attempt.pk, now=now)

    def incident(self) -> Incident:
        """Return what was concluded."""
        with organization_scope(*self.everybody):
            return Incident.objects.get()

    def retire(self, now: datetime) -> None:
        """Let the retention run over both."""
        for each in (self.people.operator, self.people.tenant):
            retire(each, now=now)


def stopped_by_a_gpu() -> Story:
    """Return a session of the tenant on gpu001 that died, whose kernel log the operator sent."""
    people = parties()
    make.agreed(organization=people.tenant, cluster=people.cluster)
    come_in(people.tenant, people.cluster, CRASH, at=AT, session="run-1", host="gpu001")
    kernel = [*NOISE, xid(5, AT), *(line.replace("usb", "eth") for line in NOISE)]
    come_in(people.operator, people.cluster, kernel, at=AT, stream="kernel", host="gpu001")
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.select_related("session").get()
    made = Story(people=people, attempt=attempt)
    made.look(AT + timedelta(seconds=5))
    made.look(AT + timedelta(seconds=5) + SETTLES_AFTER)
    return made
