"""Judge what watching a past range would have told, beside failures that are known."""

import json
import re
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from apps.diagnosis.detection.backtest import BacktestReport, Label, LabelError, read_labels
from apps.diagnosis.detection.backtest.document import document
from apps.diagnosis.detection.backtest.evaluation import judged
from apps.diagnosis.detection.backtest.replay import replayed
from apps.diagnosis.input_values import is_whole_number
from apps.diagnosis.model import Frame, Scene, Topology
from apps.diagnosis.spelling import in_lines
from apps.offline.backtest_report import as_html, as_text, blocks
from apps.telemetry.files.path_suggestions import address_meant, path_meant
from apps.telemetry.files.unusable_input import UnusableInput, check_zone
from apps.wording import in_english

EXIT_UNUSABLE = 2
SOURCE_ID = re.compile(r"SRC-\S+|\d+", re.ASCII)


class Command(BaseCommand):
    """The door of `manage.py backtest`."""

    help = "Replay a past range of metrics and judge the alarms beside labelled failures."
    requires_system_checks = []  # noqa: RUF012  Django declares it so; no settings, no database
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "source",
            metavar="SOURCE",
            help="URL of a Prometheus-compatible server, id of a source of the portal (SRC-…), "
            "or a table or folder of series",
        )
        parser.add_argument(
            "--from",
            dest="starts_at",
            metavar="TIME",
            default=None,
            help="2026-03-01, 2026-03-01T00:00:00Z or Unix seconds, UTC where no zone is written; "
            "a server needs it and --to, tables are read whole without",
        )
        parser.add_argument(
            "--to", dest="ends_at", metavar="TIME", default=None, help="until then; written alike"
        )
        parser.add_argument(
            "--failures",
            metavar="FILE",
            default=None,
            help="CSV or JSON: at, host, gpu, xid, kind (docs/backtest.md has all)",
        )
        parser.add_argument(
            "--step", type=float, default=None, metavar="SECONDS", help="between two samples"
        )
        parser.add_argument(
            "--organization", default=None, metavar="SLUG", help="whose source SRC-… is"
        )
        parser.add_argument("--tz", default=None, metavar="ZONE", help="zone of times without one")
        parser.add_argument(
            "--format",
            default="text",
            choices=["text", "json", "html"],
            help="text (default), json for programs (docs/backtest.md), html: a page with drawings",
        )
        parser.add_argument(
            "--out", default=None, metavar="FILE", help="instead of the standard output"
        )

    def handle(self, **options: Any) -> None:
        """Run and leave with 0, or 2 where the input can't be used."""
        try:
            self._run(options)
        except (UnusableInput, LabelError) as error:
            self.stderr.write(in_lines(text=str(error)))
            sys.exit(EXIT_UNUSABLE)

    def _run(self, options: dict[str, Any]) -> None:
        check_zone(zone=options["tz"], where="--tz")
        labels = _labels(options, heard=self.stderr.write)
        span = blocks.RequestedSpan(
            starts_at=_instant(options["starts_at"], "--from"),
            ends_at=_instant(options["ends_at"], "--to"),
            step=_step(options["step"]),
        )
        read = self._reading(options, span)
        past = replayed(blocks=read.blocks, scene=read.scene)
        report = judged(past=past, labels=labels, parts=read.parts)
        report = replace(report, source=read.name, is_simulated=read.is_simulated)
        _check(report, labels)
        self._write(_rendered(report, options["format"]), options["out"])

    def _reading(self, options: dict[str, Any], span: blocks.RequestedSpan) -> "_Reading":
        source: str = options["source"]
        is_url = source.startswith(("http://", "https://"))
        if not is_url and (Path(source).exists() or not SOURCE_ID.fullmatch(source)):
            if words := address_meant(named=source):
                raise UnusableInput(words)
            listed = options["failures"]
            paths = blocks.files_of(Path(source), but=Path(listed) if listed else None)
            return _Reading(
                name=source, blocks=blocks.of_files(paths=paths, span=span, zone=options["tz"])
            )
        # Needs Django's models, which reading files doesn't.
        from apps.offline.backtest_report import servers  # noqa: PLC0415

        grids = blocks.grids_of(span=span)
        starts_at = datetime.fromtimestamp(grids[0].start, UTC)
        ends_at = datetime.fromtimestamp(grids[-1].end, UTC)
        place = (
            servers.place_of_url(url=source, starts_at=starts_at, ends_at=ends_at)
            if is_url
            else servers.place_of_source(
                source_id=source,
                starts_at=starts_at,
                ends_at=ends_at,
                organization=options["organization"],
            )
        )
        return _Reading(
            name=place.address.name,
            blocks=servers.of_server(place=place, grids=grids, heard=self._heard),
            scene=place.scene,
            parts=place.parts,
            is_simulated=place.is_simulated,
        )

    def _heard(self, done: int, total: int) -> None:
        if sys.stderr.isatty():
            self.stderr.write(f"reading {done + 1} of {total} blocks", ending="\r")

    def _write(self, text: str, out: str | None) -> None:
        if out is None:
            self.stdout.write(text)
            return
        try:
            Path(out).write_text(text, encoding="utf-8")
        except OSError as error:
            raise UnusableInput(f"{out}: cannot be written: {error.strerror}") from error
        self.stderr.write(f"written to {out}")


class _Reading:
    """What is replayed, and what is known beside it."""

    def __init__(
        self,
        *,
        name: str,
        blocks: Iterator[list[Frame]],
        scene: Scene | None = None,
        parts: Topology | None = None,
        is_simulated: bool = False,
    ) -> None:
        self.name, self.blocks, self.parts = name, blocks, parts
        self.scene, self.is_simulated = scene or Scene(), is_simulated


def _labels(options: dict[str, Any], *, heard: Callable[[str], object]) -> tuple[Label, ...]:
    if options["failures"] is None:
        return ()
    path = Path(options["failures"])
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        hint = path_meant(path=path) or "; name a CSV or JSON with the columns at and host"
        raise UnusableInput(f"{path}: cannot be read ({error.strerror}){hint}") from error
    return read_labels(text=text, name=str(path), zone=options["tz"], heard=heard)


def _check(report: BacktestReport, labels: tuple[Label, ...]) -> None:
    """Refuse what would be a judgement of nothing."""
    watched = report.watched
    if labels and not report.outcomes:
        raise UnusableInput(
            f"none of the {len(labels)} failures lies between {watched.starts_at:%Y-%m-%d %H:%M} and "  # noqa: E501  one sentence
            f"{watched.ends_at:%Y-%m-%d %H:%M} UTC; they span {labels[0].at:%Y-%m-%d %H:%M} to "
            f"{labels[-1].at:%Y-%m-%d %H:%M} UTC"
        )


def _rendered(report: BacktestReport, form: str) -> str:
    if form == "json":
        return (
            json.dumps(document(report=report, said=in_english), indent=2, ensure_ascii=False)
            + "\n"
        )
    return as_html(report=report) if form == "html" else as_text(report=report)


def _instant(text: str | None, option: str) -> datetime | None:
    if text is None:
        return None
    try:
        found = (
            datetime.fromtimestamp(float(text), UTC)
            if is_whole_number(text.replace(".", "", 1)) and len(text) > 8
            else datetime.fromisoformat(text)
        )
    except (ValueError, OSError) as error:
        raise UnusableInput(
            f"{option} {text!r} is no time; write 2026-03-01T00:00:00Z or Unix seconds"
        ) from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _step(seconds: float | None) -> float | None:
    if seconds is not None and not 1 <= seconds <= 3600:
        raise UnusableInput("--step is between 1 and 3600 seconds")
    return seconds
