"""docs/extending.md is true: its places exist, no registry is left out, its examples work as they
stand."""

import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from apps.diagnosis import causes as causes_folder
from apps.diagnosis.causes import load as causes
from apps.diagnosis.causes.load import Cause
from apps.diagnosis.detection import metrics as metrics_folder
from apps.diagnosis.detection.metrics import load as metrics
from apps.diagnosis.model import Hypothesis, Layer, Mark, Observation, Phase, RecordPart, Role
from apps.diagnosis.reasoning.verdict.rank import Context, rank
from apps.diagnosis.signatures import load as signatures
from apps.diagnosis.signatures.match import SignatureMatch, SignatureMatcher, default_matcher
from apps.wording import in_english
from apps.wording.kinds import knowledge
from tests.contracts.extending_manual import MANUAL, ROOT, example

TO_ADD = MANUAL.partition("\n## ")[0]
ROWS = [line for line in TO_ADD.splitlines() if line.startswith("| ") and "`" in line]
AT = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
SHIPPED = causes.load_causes()  # kept for the process: read before any test shows another folder


def paths_named() -> list[str]:
    """Return what looks like a path of the repository; `<…>` stands for any name."""
    found = re.findall(r"`((?:apps|portal|tests|docs|templates|static)/[^`\s]*)`", MANUAL)
    return sorted({re.sub(r"<\w+>", "*", path) for path in found})


def registries() -> Iterator[str]:
    """Yield each folder that some code walks for its modules or TOML files."""
    for path in sorted((ROOT / "apps").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"\bcollect\(package=(\w+)", text):
            renamed = re.search(rf"\b(\w+) as {name}$", text, re.MULTILINE)
            folder = renamed[1] if renamed else name
            imported = rf"^from ([\w.]+) import (?:.*\W)?{folder}\b"
            package = re.search(imported, text, re.MULTILINE)
            assert package is not None, f"{path}: where does {name} come from?"
            yield f"{package[1].replace('.', '/')}/{folder}/"
        if "iter_modules(__path__)" in text:
            yield f"{path.parent.relative_to(ROOT)}/"
    for folder in sorted({path.parent for path in (ROOT / "apps").rglob("*.toml")}):
        yield f"{folder.relative_to(ROOT)}/"


def test_a_place_that_the_manual_names_exists() -> None:
    assert paths_named()
    assert [path for path in paths_named() if not list(ROOT.glob(path.rstrip("/")))] == []


@pytest.mark.parametrize("folder", sorted(set(registries())))
def test_a_folder_that_is_a_registry_has_its_row(folder: str) -> None:
    assert any(f"`{folder}" in row for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_a_row_says_what_to_touch_and_what_it_is_held_to(row: str) -> None:
    _, to_add, touch, held_to, _ = row.split("|")
    assert to_add.strip()
    assert "`" in touch
    assert re.search(r"`tests/|itself", held_to)


@pytest.fixture
def matcher(tmp_path: Path) -> SignatureMatcher:
    """Return the matcher of a copy of the catalog with the manual's file beside the others."""
    folder = tmp_path / "signatures"
    shutil.copytree(signatures.FOLDER, folder, ignore=shutil.ignore_patterns("*.py", "tables"))
    (folder / "cooling.toml").write_text(example("apps/diagnosis/signatures/cooling.toml"))
    return SignatureMatcher(catalog=signatures.load_folder(folder=folder))


def matched(matcher: SignatureMatcher, line: str) -> SignatureMatch | None:
    return matcher.match(line=line, text=lambda: line)


def test_the_signature_of_the_manual_works_by_its_block_alone(matcher: SignatureMatcher) -> None:
    (said,) = tomllib.loads(example("apps/diagnosis/signatures/cooling.toml")).values()
    (line,), (other,) = said["examples"], said["counterexamples"]
    hit = matched(matcher, line)
    assert hit is not None
    assert (hit.signature.key, hit.fields) == ("rack-leak", {"rope": "R7B"})
    assert matched(matcher, other) is None
    assert matched(default_matcher(), line) is None


def test_an_added_signature_takes_no_line_from_the_others(matcher: SignatureMatcher) -> None:
    for key, signature in signatures.load_catalog().items():
        for line in signature.examples:
            hit = matched(matcher, line)
            assert hit is not None
            assert hit.signature.key == key


def test_the_marks_of_the_manual_are_those_that_a_signature_may_bear() -> None:
    marks, _, parts = MANUAL.partition("| Mark | Meaning |")[2].partition("| Part | Meaning |")
    for rows, known in ((marks, Mark), (parts.partition("\n## ")[0], RecordPart)):
        assert re.findall(r"^\| `([\w.-]+)` \| \S", rows, re.MULTILINE) == [*known]


@pytest.fixture
def extended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Cause]:
    """Return the causes of a copy of the folder with the manual's line in the cause it names."""
    folder = tmp_path / "causes"
    shutil.copytree(Path(causes_folder.__path__[0]), folder)
    rule = example("apps/diagnosis/causes/host.toml")
    slug, line = re.findall(r'^\["[^"]+"\]|^  \{.*\},$', rule, re.MULTILINE)
    host = folder / "host.toml"
    before, found, after = host.read_text(encoding="utf-8").partition(slug)
    assert found
    host.write_text(before + found + after.replace("symptoms = [\n", f"symptoms = [\n{line}\n", 1))
    monkeypatch.setattr(causes, "files", lambda _package: folder)
    known = causes.load_causes.__wrapped__()
    monkeypatch.setattr(knowledge, "load_causes", lambda: known)
    return known


def explained(known: Mapping[str, Cause]) -> list[Hypothesis]:
    """Return what explains a leak three seconds before the stop, the best first."""
    leak = Observation(
        sign="rack-leak",
        role=Role.CONTEXT,
        layer=Layer.HOST,
        fields={"rope": "R7B"},
        at=AT - timedelta(seconds=3),
        last_at=AT - timedelta(seconds=3),
        host="n1",
        hosts=("n1",),
        causes=("node-unreachable",),
    )
    context = Context(
        phase=Phase.ITERATE, failed_at=AT, error=timedelta(0), suspects=frozenset({"n1"})
    )
    ranked = rank(observations=[leak], causes=known, context=context)
    return [hypothesis for hypothesis, _ in ranked if hypothesis.supporting]


def test_the_causal_rule_of_the_manual_works_by_its_line_alone(
    extended: Mapping[str, Cause],
) -> None:
    (hypothesis,) = explained(extended)
    assert hypothesis.cause == "node-unreachable"
    assert [in_english(each.statement) for each in hypothesis.supporting] == [
        "the rack's leak sensor tripped"
    ]
    assert set(extended) == set(SHIPPED)


def test_without_the_rule_a_line_of_context_speaks_for_nothing() -> None:
    assert explained(SHIPPED) == []


def test_the_metrics_of_the_manual_work_by_their_file_alone(tmp_path: Path) -> None:
    folder = tmp_path / "metrics"
    shutil.copytree(Path(metrics_folder.__path__[0]), folder)
    (folder / "rackd.toml").write_text(example("apps/diagnosis/detection/metrics/rackd.toml"))
    extended = metrics.load(folder=folder)
    assert set(extended.signals) - set(metrics.catalog().signals) == {"rack.flow"}
    assert extended.signals["rack.flow"].watch == ("peers", "frozen")
    assert extended.labels["rackd"].host == ("node", "instance")
