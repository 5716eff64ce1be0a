"""Find what is unusual in a table of one machine's series. Needs no database and no settings."""

import json
import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from apps.diagnosis.detection.baseline.training import TooLittle
from apps.diagnosis.spelling import in_lines
from apps.offline import table_detection
from apps.offline.options.detect import HELP, add_options
from apps.offline.series.wide_tables import read_wide
from apps.telemetry.files.unusable_input import UnusableInput
from apps.wording.languages import language_of, speaker_of

EXIT_UNUSABLE = 2


class Command(BaseCommand):
    """The door of `manage.py detect`."""

    help = HELP
    requires_system_checks = []  # noqa: RUF012  Django declares it so; no settings, no database
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        add_options(parser)

    def handle(self, **options: Any) -> None:
        """Run and leave with 0, or with 2 for unusable input."""
        try:
            self._run(options)
        except (UnusableInput, TooLittle) as error:
            said = str(error)
            told = said if options["file"] in said else f"{options['file']}: {said}"
            self.stderr.write(in_lines(text=told))
            sys.exit(EXIT_UNUSABLE)

    def _run(self, options: dict[str, Any]) -> None:
        for name in ("step", "pages_per_day"):
            if options[name] is not None and not 0 < options[name] < float("inf"):
                raise UnusableInput(f"--{name.replace('_', '-')} must be a number above 0")
        table = read_wide(Path(options["file"]))
        train = read_wide(Path(options["train"])) if options["train"] else None
        detection = table_detection.detect(
            table=table,
            train=train,
            step=options["step"],
            pages_per_day=options["pages_per_day"],
            ranked=[_span(each, len(table.test)) for each in options["rank"]],
        )
        if options["format"] == "json":
            self.stdout.write(json.dumps(table_detection.as_json(detection), allow_nan=False))
        else:
            language = options["language"] or language_of(environment=os.environ)
            speaker = speaker_of(language=language)
            self.stdout.write(table_detection.as_text(detection, speaker=speaker))


def _span(said: str, rows: int) -> tuple[int, int]:
    start, _, end = said.partition(":")
    if not (start.isdecimal() and end.isdecimal() and int(start) < int(end) <= rows):
        raise UnusableInput(f"--rank {said}: START:END with 0 <= START < END <= {rows} is needed")
    return int(start), int(end)
