"""Two organizations' sessions on one file server, and what one says of the other's."""

from datetime import timedelta

from apps.incidents.models import Incident
from apps.tenancy.models import AuditEntry
from apps.tenancy.scope import organization_scope
from tests.cast.parties import NOW, World, send, settle

AT = NOW - timedelta(minutes=20)
BEGAN = (AT - timedelta(hours=1)).isoformat()
XID = (
    f"{AT:%Y-%m-%dT%H:%M:%S}+00:00 gpu001 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has "
    "fallen off the bus."
)


NCCL = (
    f"{AT:%Y-%m-%dT%H:%M:%S}+00:00 [rank0]: torch.distributed.DistBackendError: NCCL error in: "
    "ProcessGroupNCCL.cpp:1333, remote process exited or there was a network error"
)


def died(world: World, who: str, name: str = "job-1", **labels: str) -> None:
    """Let a tenant's session die with an NCCL error, as its own log says."""
    answer = send(world, who, "/api/v1/logs", NCCL, session=name, rank="0", **labels)
    assert answer.status_code == 200


def incident_of(world: World, who: str) -> Incident:
    """Return the only incident of an organization."""
    with organization_scope(*world.ids):
        return Incident.objects.get(organization=world.parties[who])


def entries(world: World, who: str, action: str) -> list[tuple[str, str]]:
    """Return (who, what) of an organization's record."""
    with organization_scope(world.parties[who].pk):
        rows = AuditEntry.objects.filter(action=action).order_by("sequence")
        return [(row.actor, row.subject) for row in rows]


def nfs(host: str) -> str:
    """Return what a kernel says of a server that is slow to answer."""
    stamp = f"{AT - timedelta(minutes=1):%Y-%m-%dT%H:%M:%S}+00:00"
    return f"{stamp} {host} kernel: nfs: server nas1 not responding, still trying"


def two_sessions_on_one_server(world: World) -> None:
    """Let two tenants' sessions stop while the operator's logs tell of their server."""
    send(world, "operator", "/api/v1/inventory", {"mounts": [{"path": "/data", "server": "nas1"}]})
    for who, name, project, host in (
        ("victim", "job-1", "solar", "gpu001"),
        ("tenant", "job-2", "lunar", "gpu002"),
    ):
        event = {"session": name, "scheduler": "slurm", "project": project, "hosts": [host]}
        send(
            world, "platform", "/api/v1/session-events", {**event, "state": "running", "at": BEGAN}
        )
        died(world, who, name, host=host)
        send(world, "operator", "/api/v1/logs", nfs(host), stream="kernel", host=host)
    settle(world)


def shared(world: World) -> Incident:
    """Return the incident that several tenants read."""
    with organization_scope(*world.ids):
        return Incident.objects.get(kind="shared")
