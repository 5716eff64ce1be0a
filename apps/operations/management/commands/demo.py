"""Start the portal with a simulated cluster of six organizations, in the foreground."""

import json
import os
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections
from django.utils import timezone

from apps.fleet.models import Cluster, ParticipationRole
from apps.operations.command_line.program_name import FILE, called
from apps.operations.management.commands.up import REFUSALS, choose_base_url, free_port, port_words
from apps.operations.servers import address, programs
from apps.operations.servers.processes import AskedToStop, Program
from apps.operations.servers.supervisor import Supervisor
from apps.operations.setup.create import make
from apps.operations.setup.parties import (
    EVERYTHING,
    ClusterDescription,
    OrganizationDescription,
    Person,
    SourceWanted,
)
from apps.tenancy import credentials
from apps.tenancy.models import Organization, Token, User
from apps.tenancy.scope import organization_scope

CLUSTER = "meridian"
AGREEMENTS = "joint-operations"
TOKEN = "demo"  # noqa: S105  its name
# The simulated servers are on this machine: its admins allow just that.
LOOPBACK = ["127.0.0.1/32"]
PARTIES: tuple[tuple[str, str, list[str], list[str]], ...] = (
    ("aurora", "Aurora Cloud", ["operator"], []),
    ("keel", "Keel Platform", ["platform"], []),
    ("verdant", "Verdant GPU", ["gpu_vendor", "network_vendor"], []),
    ("strata", "Strata Storage", ["storage_vendor"], []),
    ("northwind", "Northwind AI", ["tenant"], ["solar"]),
    ("lumen", "Lumen Labs", ["tenant"], ["lantern"]),
)


class Command(BaseCommand):
    """Run the demo until Ctrl-C; a second start goes on where the first ended."""

    help = "Start the portal and a simulated cluster; print the address and the logins."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Start everything, make the parties, hand their tokens to the simulator."""
        if not (settings.PORTAL_EMBEDS_DATABASE and settings.PORTAL_EMBEDS_BROKER):
            raise CommandError("the demo runs on servers of its own: unset PORTAL_*_URL")
        base_url, port = choose_base_url(), free_port()
        # A workstation's disk is often fuller than a server's may be.
        os.environ.setdefault("PORTAL_MAX_DISK_PERCENT", "98")
        open_loopback()
        try:
            with (
                Supervisor(var=settings.PORTAL_VAR, say=self._say) as running,
                address.told(var=running.var, base_url=base_url),
            ):
                programs.serve(running, base_url=base_url)
                with running.interruptible("making the parties"):
                    logins = make_parties(var=running.var, base_url=base_url, prometheus_port=port)
                connections.close_all()
                running.start(
                    _simulator("serve", running.var, base_url, "--port", str(port), port=port)
                )
                running.start(_simulator("ship", running.var, base_url))
                if words := port_words(base_url):
                    self._say(words)
                self._tell(base_url, logins)
                running.watch()
        except AskedToStop as stopped:
            self._say(str(stopped))
        except REFUSALS as error:
            raise CommandError(str(error)) from error

    def _tell(self, base_url: str, logins: Sequence[dict[str, Any]]) -> None:
        self.stdout.write(f"\nFaultline is up: {base_url}/  (simulated data)\n\n")
        for login in logins:
            parts = ", ".join(login["participations"])
            self.stdout.write(
                f"  {login['name']:<15} {login['user']:<10} {login['password']:<18} {parts}"
            )
        self.stdout.write(
            "\nSign in as northwind: its session dies in front of you within 90 seconds.\n"
            f"`{_check()}` in another terminal compares every verdict with the truth.\n"
            "Ctrl-C stops everything."
        )
        self.stdout.flush()

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()  # it may be a pipe


def open_loopback() -> None:
    """Let sources reach the simulated servers, here and in the processes that are started."""
    opened = [*settings.PORTAL_OUTBOUND_NETWORKS, *LOOPBACK]
    settings.PORTAL_OUTBOUND_NETWORKS = opened
    os.environ["PORTAL_OUTBOUND_NETWORKS"] = ",".join(opened)
    os.environ.pop("PORTAL_OUTBOUND_NETWORKS_FILE", None)


def make_parties(*, var: Path, base_url: str, prometheus_port: int) -> list[dict[str, Any]]:
    """Make the six organizations and write var/demo.json; return their logins."""
    path = var / "demo.json"
    former = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    now = timezone.now()
    parties = [_party(*each, port=prometheus_port) for each in PARTIES]
    described = ClusterDescription(
        cluster=CLUSTER, cluster_name="Meridian", parties=parties, agreements=AGREEMENTS
    )
    make(described=described, now=now, is_simulated=True, gives_links=False)
    known = {each["slug"]: each for each in former.get("organizations", ())}
    logins = [_login(party, known.get(party.slug, {}), now=now) for party in parties]
    _write(
        path,
        {
            "base_url": base_url,
            "epoch": former.get("epoch") or _rfc3339(now),
            "ready_at": _rfc3339(now),
            "simulated": True,
            "prometheus_url": f"http://127.0.0.1:{prometheus_port}",
            "organizations": logins,
        },
    )
    return logins


def _party(
    slug: str, name: str, parts: list[str], projects: list[str], *, port: int
) -> OrganizationDescription:
    source = SourceWanted(
        name="Prometheus",
        values={
            "url": f"http://127.0.0.1:{port}/{slug}",
            "allowed_networks": LOOPBACK,
            "zone": "Asia/Seoul",
        },
    )
    return OrganizationDescription(
        slug=slug,
        name=name,
        parts=[ParticipationRole(each) for each in parts],
        projects=projects,
        people=[Person(username=slug)],
        sources=[source] if slug in {"aurora", "strata"} else (),
    )


def _login(
    party: OrganizationDescription, former: dict[str, Any], *, now: datetime
) -> dict[str, Any]:
    """Return how to sign in: as the file says, or with a new password and token."""
    secrets = {name: former.get(name) for name in ("password", "token")}
    if not all(secrets.values()):
        secrets = _new_secrets(Organization.objects.get(slug=party.slug), now=now)
    return {
        "slug": party.slug,
        "name": party.name,
        "participations": list(party.parts),
        "user": party.slug,
        **secrets,
    }


def _new_secrets(organization: Organization, *, now: datetime) -> dict[str, Any]:
    password = token_urlsafe(12)
    user = User.objects.get(username=organization.slug)
    user.set_password(password)
    user.save(update_fields=["password"])
    with organization_scope(organization.pk):
        Token.objects.for_organization(organization).filter(name=TOKEN).delete()
        issued = credentials.issue(
            organization=organization,
            name=TOKEN,
            scopes=EVERYTHING,
            clusters=tuple(Cluster.objects.filter(slug=CLUSTER).values_list("pk", flat=True)),
            now=now,
        )
    return {"password": password, "token": issued.clear_text}


def _write(path: Path, value: dict[str, Any]) -> None:
    half = path.with_suffix(".new")
    half.unlink(missing_ok=True)
    descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
    half.replace(path)


def _simulator(
    part: str, var: Path, base_url: str, *arguments: str, port: int | None = None
) -> Program:
    path = "/aurora/api/v1/query?query=up"
    return Program(
        name=f"simulate {part}",
        argv=[
            *(sys.executable, "-m", "apps.operations.command_line", "simulate", part),
            *("--demo", str(var / "demo.json")),
            *arguments,
        ],
        is_ready=lambda: port is None or programs.answers("127.0.0.1", port, path),
        log=var / "log" / f"simulate-{part}.log",
        environment=programs.environment(var=var, process="", base_url=base_url),
        directory=settings.BASE_DIR,
    )


def _check() -> str:
    return "make demo-check" if called() == FILE else f"{called()} demo_check"


def _rfc3339(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
