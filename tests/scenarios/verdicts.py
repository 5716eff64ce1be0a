"""Files → diagnosis, for tests."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis
from apps.diagnosis.signatures.read import read_source
from apps.telemetry.files import describe

READ_AT = datetime(2026, 11, 14, tzinfo=UTC)


def diagnosed(*, texts: Mapping[str, str]) -> Diagnosis:
    """Return the diagnosis of files by path, read as `manage.py diagnose` reads a folder."""
    readings = []
    for path, text in texts.items():
        origin = describe(inside=path, stream=None, zone=None, overrides={})
        assert origin is not None
        readings.append(read_source(origin=replace(origin, received_at=READ_AT), text=text))
    return diagnose(readings=readings)


def blamed_hosts(diagnosis: Diagnosis) -> set[str]:
    """Return the hosts of the culprits."""
    return {one.host for one in diagnosis.verdict.culprits if one.host}
