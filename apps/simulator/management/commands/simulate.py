"""`manage.py simulate`: the simulated cluster, live against a portal or written as files."""

import logging
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.simulator import offline
from apps.simulator.metrics_server import http_server
from apps.simulator.metrics_server.serving import Stores
from apps.simulator.shipper import Shipper
from apps.simulator.world.plan import scenario_names


class Command(BaseCommand):
    """Serve metrics and ship logs of the simulated cluster, or write one scenario as files."""

    help = "Serve metrics and ship logs of the simulated cluster, or write one scenario as files."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("part", nargs="?", choices=("serve", "ship", "all"), default="all")
        parser.add_argument("--serve-only", action="store_const", const="serve", dest="part")
        parser.add_argument("--ship-only", action="store_const", const="ship", dest="part")
        parser.add_argument("--demo", type=Path, help="the demo's file (var/demo.json)")
        parser.add_argument("--truth", type=Path, help="the ledger (var/simulator/truth.jsonl)")
        parser.add_argument("--port", type=int, default=0, help="of the metrics server, loopback")
        parser.add_argument("--seed", type=int, default=7)
        parser.add_argument(
            "--write",
            type=Path,
            help="write a scenario's logs below this directory",
        )
        parser.add_argument("--scenario", default="all", help=", ".join((*scenario_names(), "all")))

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the options say."""
        if options["write"]:
            self._write(options["write"], options["seed"], options["scenario"])
        else:
            self._run(options)

    def _run(self, options: dict[str, Any]) -> None:
        logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(message)s")
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        demo = options["demo"] or Path(settings.PORTAL_VAR) / "demo.json"
        truth = options["truth"] or demo.parent / "simulator" / "truth.jsonl"
        if options["part"] in {"serve", "all"}:
            stores = Stores(
                demo_path=demo, state_path=truth.parent / "state.json", seed=options["seed"]
            )
            server = http_server.serve(port=options["port"], stores=stores.current, clock=time.time)
            self.stdout.write(f"simulated Prometheus: http://127.0.0.1:{server.server_port}")
        if options["part"] in {"ship", "all"}:
            shipper = Shipper(
                demo_path=demo, truth_path=truth, seed=options["seed"], clock=time.time, stop=stop
            )
            shipper.run()
        stop.wait()

    def _write(self, directory: Path, seed: int, scenario: str) -> None:
        world = offline.offline_world(seed=seed)
        names = list(world.outcomes) if scenario == "all" else [scenario]
        for name in names:
            target = directory / name if scenario == "all" else directory
            try:
                folders = offline.write_scenario(world=world, name=name, directory=target)
            except offline.ScenarioUnknown as unknown:
                raise CommandError(str(unknown)) from unknown
            for folder in folders:
                self.stdout.write(f"{name}: {folder}")
