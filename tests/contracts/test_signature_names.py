"""What a line means is a mark or a part in its block: no Python names a signature, whole or by how
its name begins."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from apps.diagnosis.model import Mark, RecordPart
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.marks import marked

ROOT = Path(__file__).parents[2] / "apps"
# Words that are no signature where they stand, though one is called the same.
OTHERS = {
    ("diagnosis/detection/metrics/describe.py", "edac"): "what names of metrics begin with",
    ("diagnosis/reasoning/findings/host_findings.py", "host-shut-down"): "a finding",
    ("diagnosis/reasoning/verdict/culprits/blame.py", "disk-full"): "a cause",
    ("wording/causes/software.py", "cuda-oom"): "a cause",
    ("wording/causes/software.py", "kernel-bug"): "a cause",
    ("wording/causes/storage.py", "disk-full"): "a cause",
}
BEGINNINGS = {
    ("diagnosis/signatures/event_builder.py", "gpu-"): "how a GPU's UUID begins",
    ("diagnosis/detection/metrics/identity.py", "gpu-"): "how a GPU's UUID begins",
    ("offline/report/explained.py", "nvrm-xid-"): "a person asks for the number behind it",
    ("offline/report/explained.py", "nvrm-"): "the same; causes call it by kind and number",
}
# Of what `one.signature` and `one.sign` are compared with: words in the form of a signature's name.
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+", re.ASCII)
ASKED = frozenset({"signature", "sign"})
# A few letters begin words of all kinds; a dash at their end makes them the family of a signature.
FAMILY = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*-", re.ASCII)
Trees = Mapping[Path, ast.Module]


@pytest.fixture(scope="module")
def trees() -> Trees:
    """The syntax of every file, for as long as it is looked at: it takes much room."""
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}


def texts(tree: ast.AST) -> list[str]:
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def compared(tree: ast.AST) -> Iterator[str]:
    """Yield the words that a signature is compared with, or asked to begin with, on the spot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(one, ast.Attribute) and one.attr in ASKED for one in sides):
                yield from (word for one in sides for word in texts(one) if NAME.fullmatch(word))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            asked = node.func.value
            is_beginning = node.func.attr in {"startswith", "removeprefix"}
            if is_beginning and isinstance(asked, ast.Attribute) and asked.attr in ASKED:
                yield from (word for one in node.args for word in texts(one) if ":" not in word)


def test_no_python_names_a_signature(trees: Trees) -> None:
    named = {
        (str(path.relative_to(ROOT)), word)
        for path, tree in trees.items()
        for word in texts(tree)
        if word in load_catalog()
    }
    assert named == OTHERS.keys(), "what these mean is a mark in their blocks"


def test_no_python_names_signatures_by_how_they_begin(trees: Trees) -> None:
    families = {key[: at.end()] for key in load_catalog() for at in re.finditer("-", key)}
    named = {
        (str(path.relative_to(ROOT)), word)
        for path, tree in trees.items()
        if path.is_relative_to(ROOT / "diagnosis") or path.is_relative_to(ROOT / "offline")
        for word in texts(tree)
        if FAMILY.fullmatch(word) and word in families
    }
    assert named == BEGINNINGS.keys()


def test_no_signature_is_compared_with_a_word_on_the_spot(trees: Trees) -> None:
    assert {word for tree in trees.values() for word in compared(tree)} == set()


def test_every_mark_and_part_is_borne_and_asked_for(trees: Trees) -> None:
    asked = {
        (node.value.id, node.attr)
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    known: tuple[Mark | RecordPart, ...] = (*Mark, *RecordPart)
    idle = [one for one in known if (type(one).__name__, one.name) not in asked or not marked(one)]
    assert idle == []
