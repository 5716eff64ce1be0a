"""What is said of a mixed fault, by each party alone and by all together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from apps.diagnosis.detection.known_detectors import noticed
from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Verdict
from apps.offline.series.series_files import ran_of
from tests.score.drill.holdings import PARTIES, MixedFault

TOGETHER: Final = "all together"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillAnswer:
    """What one party, or all of them, say of one fault."""

    fault_name: str
    seed: int
    truth: Mapping[str, Any]
    party: str
    verdict: Verdict | None  # None: it holds nothing to ask

    @property
    def is_right(self) -> bool:
        """Say whether layer and cause are named, and a host that broke where one did."""
        verdict, truth = self.verdict, self.truth
        if verdict is None:
            return False
        said = {each.host for each in verdict.culprits if each.host}
        broken = {each["host"] for each in truth["culprits"] if each["host"]}
        is_cause = (verdict.layer.value, verdict.cause) == (truth["layer"], truth["cause"])
        return is_cause and (bool(said & broken) or not broken)

    @property
    def said(self) -> str:
        """Return the answer in a word or two."""
        if self.verdict is None:
            return "nothing to read"
        return f"{self.verdict.status.value} {self.verdict.cause}"


def answers(*, fault: MixedFault) -> Iterator[DrillAnswer]:
    """Yield what each party says alone, and what all say together."""
    for party in PARTIES:
        yield _answer(fault, party, [party])
    yield _answer(fault, TOGETHER, PARTIES)


def _answer(fault: MixedFault, name: str, parties: Sequence[str]) -> DrillAnswer:
    # Without the fault itself: what was read of all of them would fill the memory.
    return DrillAnswer(
        fault_name=fault.name,
        seed=fault.seed,
        truth=fault.truth,
        party=name,
        verdict=_verdict(fault, parties),
    )


def _verdict(fault: MixedFault, parties: Sequence[str]) -> Verdict | None:
    readings = [each for party in parties for each in fault.readings.get(party, ())]
    frames = [each for party in parties for each in fault.frames.get(party, ())]
    if not readings and not frames:
        return None
    anomalies = noticed(frames=frames, scene=ran_of(readings=readings).scene) if frames else ()
    return diagnose(readings=readings, anomalies=anomalies).verdict
