"""What a copy of the project makes of what was added to it: run there, told as JSON."""

import json
import sys
from datetime import UTC, datetime

import django
import numpy as np

django.setup()

from apps.api.openapi import document  # noqa: E402  these need the settings
from apps.diagnosis.detection.known_detectors import anomaly_kinds, noticed  # noqa: E402
from apps.diagnosis.detection.metrics.load import catalog  # noqa: E402
from apps.diagnosis.diagnose import diagnose  # noqa: E402
from apps.diagnosis.logs.dialects import table  # noqa: E402
from apps.diagnosis.model import Device, Frame, Origin, Scene  # noqa: E402
from apps.diagnosis.observed import measurement  # noqa: E402
from apps.diagnosis.signatures.load import load_catalog  # noqa: E402
from apps.diagnosis.signatures.progress.step_times import series_of  # noqa: E402
from apps.diagnosis.signatures.read import read_source  # noqa: E402
from apps.incidents.exports.export_format import INCIDENTS_SCHEMA, Header  # noqa: E402
from apps.incidents.exports.known_formats import all_formats  # noqa: E402
from apps.web.charts.chart_lines import Line  # noqa: E402
from apps.web.charts.evidence_charts import draw_charts  # noqa: E402
from apps.web.display.export_links import export_links  # noqa: E402
from apps.wording import in_english  # noqa: E402
from portal.texts import texts  # noqa: E402

AT = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
STEP, COUNT = 15.0, 240


def steps(log: str) -> dict[str, object]:
    """Return the phase that a log of steps shows, and how long they took."""
    reading = read_source(text=log, origin=Origin(source="train.log"))
    pace = [series_of(one)[1] for one in reading.progress]
    return {"phase": diagnose(readings=[reading]).phase.value, "pace": pace}


def peeled(line: str) -> dict[str, object]:
    """Return what the dialect of the manual takes off its line."""
    (row,) = (one for one in table.load_folder() if one.dialect.name == "our_scheduler")
    peel = row.dialect.peel(line)
    assert peel is not None
    assert peel.stamp is not None
    return {
        "host": peel.host,
        "rank": peel.rank,
        "rest": peel.rest,
        "offset_seconds": peel.stamp.offset_seconds,
    }


def flow() -> Frame:
    """Return an hour of the flow at two racks, of which the second's sensor hangs."""
    moving = 40 + np.sin(np.arange(COUNT))
    return Frame(
        signal=catalog().signals["rack.flow"],
        entities=(Device(kind="node", host="n1"), Device(kind="node", host="n2")),
        start=AT.timestamp(),
        step=STEP,
        values=np.stack((moving, np.full(COUNT, 41.5))),
    )


def chart() -> dict[str, str]:
    """Return the one chart of the flow."""
    frame = flow()
    line = Line(signal=frame.signal.name, name="n2", host="n2", at=frame.at, values=frame.values[1])
    (drawn,) = draw_charts(lines=[line], layer="host", failed_at=AT)
    return {"key": drawn.key, "title": drawn.title, "unit": drawn.unit}


def told() -> dict[str, object]:
    """Return everything that is looked at."""
    said = json.load(sys.stdin)
    found = noticed(frames=[flow()], scene=Scene())
    header = Header(schema=INCIDENTS_SCHEMA, organization="acme", exported_at=AT)
    paths = {
        path: each for path, each in document()["paths"].items() if path.endswith("export.txt")
    }
    return {
        "steps": steps(said["log"]),
        "signatures": sorted(load_catalog()),
        "peeled": peeled(said["line"]),
        "found": [
            {"kind": each.kind, "signal": each.signal, "hosts": [each.entity.host]}
            for each in found
        ],
        "frozen": {
            "weight": anomaly_kinds()["frozen"].weight,
            "said": in_english(measurement(kind="frozen", signal="rack.flow")),
        },
        "texts": texts(),
        "menu": [
            [each.label, each.address] for each in export_links(organization="acme", public_id="I7")
        ],
        "described": {
            path: list(each["get"]["responses"]["200"]["content"]) for path, each in paths.items()
        },
        "exported": b"".join(
            all_formats()["txt"].many(header, iter([{"id": "I7", "title": "it stopped"}]))
        ).decode(),
        "chart": chart(),
    }


json.dump(told(), sys.stdout)
