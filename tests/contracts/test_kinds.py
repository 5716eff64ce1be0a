"""Every kind of finding that a detector tells has a weight and words."""

import ast
from pathlib import Path

import pytest

from apps.diagnosis.reasoning.verdict.rank.weigh import MEASURED
from apps.wording.kinds.measurements import MEASURED as SAID
from apps.wording.kinds.measurements import PLAIN

FOLDER = Path(__file__).parents[2] / "apps" / "diagnosis" / "detection" / "detectors"


def kinds() -> list[str]:
    """Return the words that stand as `kind` of an anomaly in the detectors."""
    found: set[str] = set()
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id not in {"Anomaly", "told"}:
                    continue
                for given in (each.value for each in node.keywords if each.arg == "kind"):
                    found |= {
                        each.value
                        for each in ast.walk(given)
                        if isinstance(each, ast.Constant) and isinstance(each.value, str)
                    }
    return sorted(found)


@pytest.mark.parametrize("kind", kinds())
def test_a_kind_of_finding_weighs_and_can_be_said(kind: str) -> None:
    assert MEASURED[f"metric:{kind}"] > 0
    assert SAID[kind]
    assert PLAIN[kind]


def test_the_detectors_were_read() -> None:
    assert {"counter-increase", "peer-deviation", "collapse", "flood"} <= set(kinds())
