"""Files → diagnosis, for tests."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis, Hypothesis, Reading
from apps.diagnosis.signatures.read import StreamReader
from apps.telemetry.files.file_origins import describe
from apps.wording import in_english

READ_AT = datetime(2026, 11, 14, tzinfo=UTC)
WHOLE = 10**9


def diagnosed(*, texts: Mapping[str, str]) -> Diagnosis:
    """Return the diagnosis of files by path, read as `manage.py diagnose` reads a folder."""
    return diagnose(readings=readings_of(texts=texts))


def readings_of(*, texts: Mapping[str, str], lines_per_piece: int = WHOLE) -> list[Reading]:
    """Return the readings of files by path, each read in pieces of so many lines."""
    readings: list[Reading] = []
    for path, text in texts.items():
        origin = describe(inside=path, stream=None, zone=None, overrides={})
        assert origin is not None
        reader = StreamReader(origin=replace(origin, received_at=READ_AT))
        lines = text.splitlines()
        for start in range(0, len(lines), lines_per_piece):
            piece = "\n".join(lines[start : start + lines_per_piece])
            readings.append(reader.feed(text=piece, first_number=start + 1))
        readings.append(reader.close())
    return readings


def blamed_hosts(diagnosis: Diagnosis) -> set[str]:
    """Return the hosts of the culprits."""
    return {one.host for one in diagnosis.verdict.culprits if one.host}


def reason_of(hypothesis: Hypothesis) -> str:
    """Return why an explanation was ruled out, in English; empty where it stands."""
    return in_english(hypothesis.ruled_out_because) if hypothesis.ruled_out_because else ""
