"""The JSON is what docs/diagnosis-schema.md publishes."""

import json
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # published without types
import pytest

from apps.wording.published import to_json
from tests.scenarios.stories import STORIES, TRUE_CLOCKS, Story
from tests.scenarios.verdicts import diagnosed

PAGE = Path(__file__).parents[2] / "docs" / "diagnosis-schema.md"


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
