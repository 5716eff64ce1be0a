"""Start the portal with a simulated cluster of six organizations, in the foreground."""

import json
import os
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections
from django.utils import timezone

from portal import programs
from portal.management.commands.up import REFUSALS, choose_base_url, free_port
from portal.parties import Made, Party, establish
from portal.processes import Program
from portal.supervisor import Supervisor

CLUSTER = ("meridian", "Meridian")
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
        try:
            with Supervisor(var=settings.PORTAL_VAR, say=self._say) as running:
                programs.serve(running, base_url=base_url)
                logins = make_parties(var=running.var, base_url=base_url, prometheus_port=port)
                connections.close_all()
                running.start(
                    _simulator("serve", running.var, base_url, "--port", str(port), port=port)
                )
                running.start(_simulator("ship", running.var, base_url))
                self._tell(base_url, logins)
                running.watch()
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
            "`make demo-check` in another terminal compares every verdict with the truth.\n"
            "Ctrl-C stops everything."
        )
        self.stdout.flush()

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()  # it may be a pipe


def make_parties(*, var: Path, base_url: str, prometheus_port: int) -> list[dict[str, Any]]:
    """Make the six organizations and write var/demo.json; return their logins."""
    path = var / "demo.json"
    former = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    now = timezone.now()
    made = establish(
        cluster=CLUSTER,
        parties=[_party(*each, port=prometheus_port) for each in PARTIES],
        now=now,
        is_simulated=True,
        renews_secrets=not former,
    )
    known = {each["slug"]: each for each in former.get("organizations", ())}
    logins = [_login(each, known) for each in made]
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


def _party(slug: str, name: str, parts: list[str], projects: list[str], *, port: int) -> Party:
    sources = [
        {
            "name": "Prometheus",
            "url": f"http://127.0.0.1:{port}/{slug}",
            "networks": LOOPBACK,
            "zone": "Asia/Seoul",
        }
    ]
    return Party(
        slug=slug,
        name=name,
        parts=parts,
        projects=projects,
        admin=slug,
        token="demo",  # noqa: S106  its name
        sources=sources if slug in {"aurora", "strata"} else (),
    )


def _login(made: Made, known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    former = known.get(made.party.slug, {})
    return {
        "slug": made.party.slug,
        "name": made.organization.name,
        "participations": list(made.party.parts),
        "user": made.party.admin,
        "password": made.password or former.get("password"),
        "token": made.token or former.get("token"),
    }


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
            *(sys.executable, "manage.py", "simulate", part, "--demo", str(var / "demo.json")),
            *arguments,
        ],
        is_ready=lambda: port is None or programs.answers("127.0.0.1", port, path),
        log=var / "log" / f"simulate-{part}.log",
        environment=programs.environment(var=var, process="", base_url=base_url),
        directory=settings.BASE_DIR,
    )


def _rfc3339(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
