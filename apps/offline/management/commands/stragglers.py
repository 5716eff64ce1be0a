"""Say what stragglers cost the jobs of step traces. Needs no database and no settings."""

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand

from apps.diagnosis.spelling import in_lines
from apps.offline.options.stragglers import HELP, add_options
from apps.offline.stragglers.straggler_text import as_text
from apps.offline.stragglers.trace_files import traced_jobs
from apps.telemetry.files.unusable_input import UnusableInput
from apps.telemetry.step_traces.straggler_json import as_json
from apps.telemetry.step_traces.trace_jobs import TracedJob
from apps.training.stragglers.fleet import StragglerFleet, StragglingJob, fleet_table
from apps.wording.languages import language_of, speaker_of

EXIT_UNUSABLE, EXIT_REFUSED = 2, 3
HOUR_SECONDS = 3600


class Command(BaseCommand):
    """The door of `manage.py stragglers`."""

    help = HELP
    requires_system_checks = []  # noqa: RUF012  Django declares it so; no settings, no database
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        add_options(parser)

    def handle(self, **options: Any) -> None:
        """Run and leave with 0, with 2 for unusable input, with 3 where a simulation is refused."""
        try:
            jobs = traced_jobs(paths=options["files"])
        except UnusableInput as error:
            self.stderr.write(in_lines(text=str(error)))
            sys.exit(EXIT_UNUSABLE)
        fleet = _fleet(jobs)
        if options["format"] == "json":
            self.stdout.write(json.dumps(as_json(jobs, fleet), allow_nan=False))
        else:
            language = options["language"] or language_of(environment=os.environ)
            self.stdout.write(as_text(jobs, fleet, speaker=speaker_of(language=language)))
        if any(each.found is not None and each.found.is_refused for each in jobs):
            sys.exit(EXIT_REFUSED)


def _fleet(jobs: Sequence[TracedJob]) -> StragglerFleet | None:
    """Return the table over several jobs, None of one; a worker's hours are those of its steps."""
    if len(jobs) < 2:
        return None
    return fleet_table(
        StragglingJob(
            job=each.name,
            slowdown=each.found.slowdown,
            gpu_hours=len(each.found.workers)
            * each.found.measured_seconds
            * each.found.step_count
            / HOUR_SECONDS,
            cause=each.verdict.cause,
        )
        for each in jobs
        if each.found is not None and each.verdict is not None
    )
