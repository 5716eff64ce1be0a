"""A detector is one module: what it tells of stands there, and no list elsewhere names it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.diagnosis import registry
from apps.diagnosis.detection import known_detectors
from apps.diagnosis.detection.detectors.change import CHANGE, CHANGE_POINT
from apps.diagnosis.detection.known_detectors import all_detectors, anomaly_kinds
from apps.diagnosis.model import AnomalyKind, Detector, Notes, Scene

APPS = Path(__file__).parents[2] / "apps"
FOLDER = APPS / "diagnosis" / "detection" / "detectors"
# Who looks at a metric of which nothing is known but its name.
LISTS = {"diagnosis/detection/metrics/describe.py"}
# What only one kind of finding is asked for, and where.
ASKED = {
    ("diagnosis/detection/backtest/alarms.py", "counter-increase"): "the rule to be better than",
    ("diagnosis/detection/backtest/alarms.py", "silence"): "the other rule to be better than",
    ("diagnosis/detection/fusion/entity_tracks.py", "silence"): "who is silent is not broken yet",
    ("diagnosis/detection/fusion/episodes.py", "silence"): "goes on until somebody is heard",
    ("diagnosis/detection/fusion/findings.py", "silence"): "of whom is told in its detail",
    ("diagnosis/detection/fusion/suppression.py", "saturation"): "clients wait in each checkpoint",
    ("diagnosis/detection/fusion/suppression.py", "silence"): "expected where hosts are maintained",
    ("diagnosis/detection/fusion/wording.py", "silence"): "is said without a value",
}


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Yield the path and the syntax of every file that may know of detectors."""
    for path in sorted(APPS.rglob("*.py")):
        if "simulator" not in path.parts:
            yield str(path.relative_to(APPS)), ast.parse(path.read_text("utf-8"))


def words(node: ast.AST) -> set[str]:
    return {
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }


def compared(tree: ast.AST) -> Iterator[str]:
    """Yield the words that something's `kind` is compared with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(one, ast.Attribute) and one.attr == "kind" for one in sides):
                yield from words(node)


def listed(tree: ast.AST) -> Iterator[set[str]]:
    """Yield the words of each list, set, tuple or table of words."""
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Set | ast.Tuple):
            yield {
                word for one in node.elts if isinstance(one, ast.Constant) for word in words(one)
            }
        elif isinstance(node, ast.Dict):
            yield {word for one in node.keys if one is not None for word in words(one)}


@pytest.mark.parametrize("kind", anomaly_kinds().values(), ids=lambda kind: kind.name)
def test_a_kind_of_finding_weighs_and_can_be_said(kind: AnomalyKind) -> None:
    assert kind.weight > 0
    assert kind.did
    assert kind.sentence


@pytest.mark.parametrize("detector", all_detectors(), ids=lambda each: each.name)
def test_a_detector_says_what_it_tells_of(detector: Detector) -> None:
    tree = ast.parse((FOLDER / f"{detector.name}.py").read_text("utf-8"))
    given = [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword)]
    named = {node.id for one in given for node in ast.walk(one) if isinstance(node, ast.Name)}
    module = vars(__import__(detector.notice.__module__, fromlist=["_"]))
    kinds = {name for name, value in module.items() if isinstance(value, AnomalyKind)}
    assert kinds <= named
    assert {module[name].name for name in kinds} == {kind.name for kind in detector.kinds}


def test_no_list_elsewhere_names_detectors_or_what_they_tell_of() -> None:
    names = {one.name for one in all_detectors()}
    found = {
        path
        for path, tree in trees()
        if not path.startswith("diagnosis/detection/detectors/")
        for row in listed(tree)
        if len(row & names) > 1 or len(row & anomaly_kinds().keys()) > 1
    }
    assert found == LISTS


def test_a_kind_is_asked_for_by_name_only_with_a_reason() -> None:
    found = {
        (path, word) for path, tree in trees() for word in compared(tree) if word in anomaly_kinds()
    }
    assert found == ASKED.keys()


def test_two_descriptions_of_one_kind_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = AnomalyKind(name=CHANGE_POINT.name, did="moved", sentence="It moved", weight=1.0)
    added = Detector(name="moves", meaning="it moves", notice=CHANGE.notice, kinds=(other,))
    monkeypatch.setattr(registry, "collect", lambda **_: (CHANGE, added))
    monkeypatch.setattr(known_detectors, "all_detectors", known_detectors.all_detectors.__wrapped__)
    with pytest.raises(known_detectors.AmbiguousKind, match="moves: another detector"):
        anomaly_kinds.__wrapped__()


def test_looking_once_and_from_block_to_block_asks_the_same_detectors() -> None:
    assert known_detectors.noticed(frames=(), scene=Scene()) == ()
    notes = Notes()
    assert known_detectors.noticed(frames=(), scene=Scene(), notes=notes) == ()
    assert notes.worked["learners"] == {one.name for one in all_detectors() if one.learns_past}
