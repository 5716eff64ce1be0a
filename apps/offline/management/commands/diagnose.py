"""Say from plain files why a session stopped. Needs no database and no settings."""

import json
import os
import shutil
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis, Reading, Stream, VerdictStatus
from apps.diagnosis.spelling import in_lines
from apps.offline import report
from apps.offline.cases import case_readings, read_cases, refuse_cases
from apps.offline.input_errors import complaint, left_out, remark
from apps.offline.options.diagnose import HELP, STREAMS, add_options
from apps.offline.parallel_reading import read_paths
from apps.offline.progress_bar import ProgressBar
from apps.offline.reading.job_files import of_job, several_jobs
from apps.offline.reading.named_sources import NamedPaths
from apps.offline.report.explained import explained
from apps.offline.series.series_files import is_server, ran_of, read_anomalies
from apps.telemetry.files.folder_files import links_out
from apps.telemetry.files.unusable_input import UnusableInput, check_zone
from apps.wording import Speaker
from apps.wording.languages import language_of, speaker_of
from apps.wording.published import to_json

EXIT_UNKNOWN, EXIT_UNUSABLE = 3, 2
STREAM_OPTIONS = tuple(Stream(each) for each in STREAMS)


class Command(BaseCommand):
    """The door of `manage.py diagnose`."""

    help = HELP
    requires_system_checks = []  # noqa: RUF012  Django declares it so; no settings, no database
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        add_options(parser)

    def handle(self, **options: Any) -> None:
        """Run and leave with 0 (answered), 3 (unknown) or 2 (unusable input).

        Who reads the output may stop early, as `head` does: the rest is left out, which is no
        failure.
        """
        try:
            code = self._run(options)
            self.stdout.flush()
        except BrokenPipeError:
            _leave_output()
            code = 0
        except UnusableInput as error:
            self.stderr.write(in_lines(text=str(error)))
            code = EXIT_UNUSABLE
        if code:
            sys.exit(code)

    def _run(self, options: dict[str, Any]) -> int:
        if options["explain"]:
            self.stdout.write(explained(name=options["explain"], speaker=_speaker(options)))
            return 0
        if options["cases"]:
            return self._cases(Path(options["cases"]))
        check_zone(zone=options["tz"], where="--tz")
        refuse_cases(paths=_paths(options), follows_links=options["follow_links"])
        bar = ProgressBar(stream=sys.stderr)
        try:
            read = read_paths(
                named=_named(options),
                now=datetime.now(UTC),
                stdin=sys.stdin.buffer,
                heard=bar.heard,
            )
        finally:
            bar.close()
        job = options["job"]
        wanted = of_job(readings=read, job=job) if job else read
        mixed = None if job else several_jobs(readings=read)
        readings = self._in_zone(wanted, options["metrics"])
        anomalies = read_anomalies(
            named=options["metrics"],
            paths=options["paths"],
            ran=ran_of(readings=readings),
            zone=options["tz"],
            follows_links=options["follow_links"],
        )
        unfollowed = None if options["follow_links"] else links_out(paths=_paths(options))
        lacking = None if anomalies else complaint(paths=_paths(options), readings=readings)
        if lacking:
            raise UnusableInput("; ".join(each for each in (unfollowed, lacking) if each))
        caution = None if anomalies else remark(paths=_paths(options), readings=readings)
        silent = left_out(paths=_paths(options), readings=readings)
        for word in (mixed, silent, unfollowed, caution):
            if word:
                self.stderr.write(in_lines(text=word))
        diagnosis = diagnose(readings=readings, anomalies=anomalies)
        self.stdout.write(self._rendered(diagnosis, options))
        return EXIT_UNKNOWN if diagnosis.verdict.status is VerdictStatus.UNKNOWN else 0

    def _in_zone(self, readings: Sequence[Reading], named: Sequence[str]) -> Sequence[Reading]:
        """Return readings in the zone that the first server named knows them by."""
        url = next((one for one in named if is_server(named=one)), None)
        if url is None:
            return readings
        # Loads what speaks HTTP, which reading files doesn't need.
        from apps.offline.series.series_server import with_zone  # noqa: PLC0415

        hosts = ran_of(readings=readings).hosts
        found = with_zone(url=url, readings=readings, hosts=hosts, now=datetime.now(UTC))
        if found.assumed:
            self.stderr.write(found.assumed)
        return found.readings

    def _rendered(self, diagnosis: Diagnosis, options: dict[str, Any]) -> str:
        form = options["format"]
        if form == "json":
            return json.dumps(to_json(diagnosis=diagnosis), indent=2, ensure_ascii=False)
        speaker = _speaker(options)
        if form == "md":
            return report.as_markdown(diagnosis=diagnosis, speaker=speaker)
        if form == "html":
            return report.as_html(diagnosis=diagnosis, speaker=speaker)
        is_terminal = self.stdout.isatty()
        is_colored = self.style.ERROR("") != "" if is_terminal else False
        width = shutil.get_terminal_size().columns if is_terminal else report.MOST_WIDTH
        return report.as_text(
            diagnosis=diagnosis, is_colored=is_colored, width=width, speaker=speaker
        )

    def _cases(self, path: Path) -> int:
        for case in read_cases(path=path):
            answer = to_json(diagnosis=diagnose(readings=case_readings(case=case)))
            self.stdout.write(json.dumps({"id": case.get("id"), **answer}, ensure_ascii=False))
        return 0


def _leave_output() -> None:
    """Let what is still held of the output go nowhere: Python writes it out when it leaves."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _speaker(options: dict[str, Any]) -> Speaker:
    return speaker_of(language=options["language"] or language_of(environment=os.environ))


def _paths(options: dict[str, Any]) -> list[str]:
    return [path for named in _named(options) for path in named.paths]


def _named(options: dict[str, Any]) -> list[NamedPaths]:
    said = [(None, options["paths"])] + [(each, options[each.value]) for each in STREAM_OPTIONS]
    return [
        NamedPaths(
            paths=tuple(paths),
            stream=stream,
            zone=options["tz"],
            follows_links=options["follow_links"],
        )
        for stream, paths in said
    ]
