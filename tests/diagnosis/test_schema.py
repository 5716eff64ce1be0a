"""The JSON is what docs/diagnosis-schema.md publishes."""

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # published without types
import pytest

from apps.wording.published import to_json
from tests.scenarios.stories import STORIES, TRUE_CLOCKS, Story
from tests.scenarios.told_in_order import AFTER, DONE, STEPS
from tests.scenarios.verdicts import diagnosed

PAGE = Path(__file__).parents[2] / "docs" / "diagnosis-schema.md"
LOST = "NVRM: Xid (PCI:0000:1b:00): 79, pid=71, GPU has fallen off the bus."


def _schema() -> dict[str, object]:
    text = PAGE.read_text("utf-8")
    loaded: dict[str, object] = json.loads(text.split("```json\n", 1)[1].split("```", 1)[0])
    return loaded


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_every_diagnosis_fits_the_published_schema(story: Story) -> None:
    published = json.loads(
        json.dumps(to_json(diagnosis=diagnosed(texts=story.tell(TRUE_CLOCKS).texts())))
    )
    jsonschema.Draft202012Validator(_schema()).validate(published)


@pytest.mark.parametrize(
    ("texts", "needed"),
    [
        ({"train.log": STEPS + DONE, "kernel.log": AFTER}, False),
        ({"kernel/node12.log": f"2026-11-20T03:00:00+00:00 node12 kernel: {LOST}"}, True),
        ({"scheduler.log": "[2026-11-20T03:00:00] slurmctld: JobId=4711 WEXITSTATUS 0"}, None),
    ],
    ids=["finished", "lost", "nobody-says"],
)
def test_whether_anything_has_to_be_started_again_stands_beside_the_advice(
    texts: dict[str, str], *, needed: bool | None
) -> None:
    assert to_json(diagnosis=diagnosed(texts=texts))["restart"]["needed"] is needed
