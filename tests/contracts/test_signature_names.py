"""What a line means to the reasoning is a mark in its block; what still names one says why."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from apps.diagnosis.model import Mark
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.marks import marked

ROOT = Path(__file__).parents[2] / "apps"
RECORD = "joins the lines of one kind of record, and makes the event that stands for it"
FIELDS = "computes with what only this kind of line says in its fields"
BELOW = "stands below the signatures"
OTHER = "a cause, a metric's word or a finding that is called the same"
SPELLING = "says the same fact under another name where its code or its words ask for that"
UNNAMED = "the one signature for words that no other knows, or for any exception"
# file → how often it names a signature, and why. The numbers only fall.
NAMED = {
    "diagnosis/exits.py": (2, BELOW),
    "diagnosis/logs/identity.py": (1, BELOW),
    "diagnosis/logs/log_likeness.py": (1, BELOW),
    "diagnosis/detection/metrics/describe.py": (1, OTHER),
    "diagnosis/observed.py": (3, BELOW),
    "diagnosis/reasoning/timing/clocks/pairs.py": (2, FIELDS),
    "diagnosis/reasoning/findings/collective_findings.py": (1, FIELDS),
    "diagnosis/reasoning/verdict/culprits.py": (1, OTHER),
    "diagnosis/reasoning/timing/first_stop/stopper.py": (2, FIELDS),
    "diagnosis/reasoning/findings/host_findings.py": (2, FIELDS),
    "diagnosis/reasoning/scope/identity.py": (3, FIELDS),
    "diagnosis/reasoning/scope/job_scope.py": (2, FIELDS),
    "diagnosis/reasoning/findings/kernel_findings/ports.py": (3, FIELDS),
    "diagnosis/reasoning/observations/later_failures.py": (1, FIELDS),
    "diagnosis/reasoning/observations/named_peers.py": (1, FIELDS),
    "diagnosis/reasoning/findings/pace_findings.py": (3, FIELDS),
    "diagnosis/reasoning/timing/phases/signs.py": (2, FIELDS),
    "diagnosis/reasoning/findings/process_findings/exits.py": (3, FIELDS),
    "diagnosis/reasoning/findings/process_findings/last_words.py": (1, FIELDS),
    "diagnosis/reasoning/findings/process_findings/subjects.py": (2, UNNAMED),
    "diagnosis/reasoning/explanation/recovery.py": (2, FIELDS),
    "diagnosis/reasoning/timing/stop_told.py": (1, UNNAMED),
    "diagnosis/signatures/open_records.py": (1, UNNAMED),
    "diagnosis/signatures/lost_loss.py": (1, RECORD),
    "diagnosis/signatures/read.py": (2, FIELDS),
    "diagnosis/signatures/records/accounting.py": (5, RECORD),
    "diagnosis/signatures/records/adapter_health.py": (5, RECORD),
    "diagnosis/signatures/records/bus_error.py": (2, RECORD),
    "diagnosis/signatures/records/failed_child.py": (12, RECORD),
    "diagnosis/signatures/records/hung_task.py": (2, RECORD),
    "diagnosis/signatures/records/last_error.py": (1, RECORD),
    "diagnosis/signatures/records/off_bus.py": (6, RECORD),
    "diagnosis/signatures/records/oom_kill.py": (2, RECORD),
    "diagnosis/signatures/records/p2p_matrix.py": (1, RECORD),
    "diagnosis/signatures/records/platform_error.py": (2, RECORD),
    "diagnosis/signatures/records/ras_section.py": (2, RECORD),
    "diagnosis/signatures/records/smi_table.py": (1, RECORD),
    "diagnosis/signatures/records/stack_dump.py": (3, RECORD),
    "diagnosis/signatures/records/straggler.py": (1, RECORD),
    "diagnosis/signatures/records/traceback.py": (2, RECORD),
    "diagnosis/signatures/xid.py": (4, SPELLING),
    "wording/causes/software.py": (2, OTHER),
    "wording/causes/storage.py": (1, OTHER),
    "offline/report/note.py": (1, RECORD),
}
TREES = {path: ast.parse(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}
# Of what `one.signature` and `one.sign` are compared with: words in the form of a signature's name.
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+", re.ASCII)
ASKED = frozenset({"signature", "sign"})


def texts(tree: ast.AST) -> list[str]:
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def compared(tree: ast.AST) -> Iterator[str]:
    """Yield the words that a signature is compared with on the spot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(one, ast.Attribute) and one.attr in ASKED for one in sides):
                yield from (word for one in sides for word in texts(one) if NAME.fullmatch(word))


def test_no_file_names_more_signatures_than_it_has_reasons_for() -> None:
    found = {
        str(path.relative_to(ROOT)): [word for word in texts(tree) if word in load_catalog()]
        for path, tree in TREES.items()
    }
    counted = {path: len(words) for path, words in found.items() if words}
    allowed = {path: count for path, (count, _) in NAMED.items()}
    wrong = {path: found[path] for path in counted if counted[path] != allowed.get(path, 0)}
    assert not wrong, "what these mean to the reasoning is a mark in their blocks"
    assert counted == allowed


def test_no_signature_is_asked_for_that_does_not_exist() -> None:
    asked = {
        word
        for path, tree in TREES.items()
        if "simulator" not in path.parts
        for word in compared(tree)
    }
    assert asked - load_catalog().keys() == set()


def test_every_mark_is_borne_and_asked_for() -> None:
    asked = {
        node.attr
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == Mark.__name__
    }
    assert [one for one in Mark if not marked(one) or one.name not in asked] == []
