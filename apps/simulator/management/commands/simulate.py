"""`manage.py simulate`: the simulated cluster, live against a portal or written as files."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.simulator import offline
from apps.simulator.plan import scenario_names


class Command(BaseCommand):
    """Serve metrics and ship logs of the simulated cluster, or write one scenario as files."""

    help = "Serve metrics and ship logs of the simulated cluster, or write one scenario as files."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--seed", type=int, default=7)
        parser.add_argument(
            "--write", type=Path, help="write a scenario's logs below this directory"
        )
        parser.add_argument("--scenario", default="all", help=", ".join((*scenario_names(), "all")))

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the options say."""
        if options["write"]:
            self._write(options["write"], options["seed"], options["scenario"])

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
