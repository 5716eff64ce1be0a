"""What is said of the runs: shares of each part, and single runs of those to learn from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from apps.diagnosis.model import Diagnosis
from apps.wording.published import to_json
from tests.scenarios.verdicts import blamed_hosts, diagnosed
from tests.score.gauge.labels import HELD, LEARN
from tests.score.measures import Answer, Measure, measure
from tests.score.real_runs.labels import FOURTH, THIRD, RunLabel, read_labels

RUNS: Final = Path(__file__).parents[2] / "scenarios" / "node_runs"
BENIGN: Final = "benign"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAnswer:
    """One run with what is said of it."""

    label: RunLabel
    diagnosis: Diagnosis

    @property
    def as_answer(self) -> Answer:
        """Return it as the measures of recorded cases read it."""
        label, said = self.label, to_json(diagnosis=self.diagnosis)
        verdict: dict[str, Any] = said["verdict"]
        cause = verdict["cause"] if verdict["cause"] in label.causes else label.causes[0]
        case = {
            "id": label.name,
            "layer": label.layer,
            "cause": cause,
            "diagnosable_from_logs": label.is_diagnosable,
            "confidence": label.confidence,
            "log_grade": "raw-multi",
            "label_basis": "statement",
        }
        causes = tuple(one["cause"] for one in said["hypotheses"])
        return Answer(case=case, verdict=verdict, causes=causes)

    @property
    def is_healthy(self) -> bool:
        """Say whether nothing broke, or it was told to end, and its logs say so."""
        return self.label.is_diagnosable and self.label.end in {"finished", "cancelled"}

    @property
    def is_host_right(self) -> bool:
        """Say whether the host at fault is blamed, and no other."""
        diagnosis = self.diagnosis
        named = blamed_hosts(diagnosis) | set(diagnosis.restart.exclude_hosts)
        if diagnosis.first_stopper is not None:
            named |= set(diagnosis.first_stopper.hosts)
        return named == {self.label.host}

    @property
    def is_rank_right(self) -> bool:
        """Say whether the ranks that stopped first are named, and no other."""
        first = self.diagnosis.first_stopper
        named = set(first.ranks) if first else set()
        named |= {one.rank for one in self.diagnosis.verdict.culprits if one.rank is not None}
        return named == set(self.label.ranks)

    @property
    def is_end_right(self) -> bool:
        """Say whether the end is the one it had."""
        return self.diagnosis.end_state.value == self.label.end

    @property
    def misses(self) -> tuple[str, ...]:
        """Return in what the answer differs from the label."""
        answer, label = self.as_answer, self.label
        found = {"end": self.is_end_right}
        if self.is_healthy:
            found["status"] = answer.verdict["status"] == "no-failure"
        elif label.is_diagnosable:
            found |= {"layer": answer.is_layer_right, "cause": answer.is_cause_right}
        else:
            found["abstains"] = answer.is_abstention
        if label.host:
            found["host"] = self.is_host_right
        if label.ranks:
            found["rank"] = self.is_rank_right
        return tuple(name for name, is_right in found.items() if not is_right)

    @property
    def as_text(self) -> str:
        """Return the label and what is said, in a line."""
        verdict, first = self.diagnosis.verdict, self.diagnosis.first_stopper
        who = f" rank {' '.join(map(str, first.ranks))} of {' '.join(first.hosts)}" if first else ""
        return (
            f"{self.label.name}: {self.label.layer}/{'|'.join(self.label.causes)}, said "
            f"{verdict.status.value} {verdict.layer.value}/{verdict.cause}{who}, "
            f"{self.diagnosis.end_state.value}: {', '.join(self.misses) or 'right'}"
        )


def part() -> tuple[list[Measure], list[str]]:
    """Return the shares of each part, and a line for each miss of those to learn from."""
    found = answers()
    return measures(found=found), failures(found=found)


def answers() -> list[RunAnswer]:
    """Return what is said of every run that is kept."""
    return [answer(label=label) for label in read_labels()]


def answer(*, label: RunLabel, runs: Path = RUNS) -> RunAnswer:
    """Return what is said of a run, of the logs in a folder of its name."""
    folder = runs / label.name
    paths = sorted(folder.rglob("*.log"))
    texts = {str(path.relative_to(folder)): path.read_text("utf-8") for path in paths}
    return RunAnswer(label=label, diagnosis=diagnosed(texts=texts))


def measures(*, found: Sequence[RunAnswer]) -> list[Measure]:
    """Return the shares over each part."""
    names = (LEARN, HELD, THIRD, FOURTH)
    parts = ((name, [one for one in found if one.label.part == name]) for name in names)
    return [row for name, some in parts for row in _shares(f"runs over nodes, {name}", some)]


def failures(*, found: Sequence[RunAnswer]) -> list[str]:
    """Return a line for each miss of the part to learn from: never one of the part held back."""
    return [
        f"run over nodes {one.as_text}" for one in found if one.label.part != HELD and one.misses
    ]


def _shares(name: str, found: Sequence[RunAnswer]) -> list[Measure]:
    healthy = [one for one in found if one.is_healthy]
    broken = [one for one in found if not one.is_healthy]
    known = [one for one in broken if one.label.is_diagnosable]
    unclear = [one.as_answer for one in broken if not one.label.is_diagnosable]
    every = [one.as_answer for one in broken]
    return [
        measure(f"{name}: layer", _as_answers(known), lambda a: a.is_layer_right),
        measure(f"{name}: cause", _as_answers(known), lambda a: a.is_cause_right),
        _share(f"{name}: host", [each.is_host_right for each in known if each.label.host]),
        _share(f"{name}: rank", [each.is_rank_right for each in known if each.label.ranks]),
        measure(f"{name}: not diagnosable, abstains", unclear, lambda a: a.is_abstention),
        _share(f"{name}: nothing broke, and so it says", [not each.misses for each in healthy]),
        measure(f"{name}: likely and wrong", every, lambda a: a.is_likely_wrong),
        _share(f"{name}: end", [each.is_end_right for each in found]),
    ]


def _as_answers(found: Sequence[RunAnswer]) -> list[Answer]:
    return [each.as_answer for each in found]


def _share(name: str, found: Sequence[bool]) -> Measure:
    return Measure(name=name, n=len(found), hits=sum(found))
