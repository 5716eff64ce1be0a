"""One generated session with what was said about it, and what of that is right."""

from dataclasses import dataclass

from apps.diagnosis.model import Diagnosis, VerdictStatus
from tests.score.truth import Truth

# A person, a preemption or the time limit ended it: said as an end state or as a cause.
ENDED = frozenset({"walltime", "cancelled", "preempted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One session with what was said about it."""

    truth: Truth
    diagnosis: Diagnosis
    seconds: float
    crash: str = ""  # what the engine raised instead of an answer

    @property
    def layer(self) -> str:
        """Return the layer the verdict names."""
        return self.diagnosis.verdict.layer.value

    @property
    def is_end_right(self) -> bool:
        """Say whether the end state is the true one."""
        return self.diagnosis.end_state.value == self.truth.end

    @property
    def is_quiet_end(self) -> bool:
        """Say whether it was rightly called no failure, with its end named."""
        is_quiet = self.diagnosis.verdict.status is VerdictStatus.NO_FAILURE
        return is_quiet and self.is_end_right

    @property
    def is_layer_right(self) -> bool:
        """Say whether the verdict names an accepted layer, or rightly an end that was ordered."""
        is_ordered = "process-killed" in self.truth.causes and self.is_quiet_end
        return self.layer in self.truth.layers or is_ordered

    @property
    def is_cause_right(self) -> bool:
        """Say whether the cause is an accepted one; where any of the layer is, the layer counts."""
        is_named = self.diagnosis.verdict.cause in self.truth.causes
        return self.is_layer_right and (is_named or not self.truth.causes or self.is_quiet_end)

    @property
    def is_host_right(self) -> bool:
        """Say whether a host to blame is among the culprits or left out of the restart."""
        culprits = {one.host for one in self.diagnosis.verdict.culprits if one.host}
        said = culprits | set(self.diagnosis.restart.exclude_hosts)
        return any(self.truth.is_accepted_host(one) for one in said)

    @property
    def is_abstention(self) -> bool:
        """Say whether the question was left open: unknown, or possible with the hidden layer."""
        status = self.diagnosis.verdict.status
        is_open = status in {VerdictStatus.UNKNOWN, VerdictStatus.NO_FAILURE}
        return is_open or (status is VerdictStatus.POSSIBLE and self.layer in self.truth.layers)

    @property
    def is_likely_wrong(self) -> bool:
        """Say whether the verdict sounds sure where it is wrong, or where nobody could be."""
        is_sure = self.diagnosis.verdict.status is VerdictStatus.LIKELY
        if self.truth.status == "unknown":
            return is_sure
        if self.truth.status == "no-failure":
            is_ordered = (
                self.truth.end in ENDED and self.diagnosis.verdict.cause == "process-killed"
            )
            return is_sure and not is_ordered
        return is_sure and not self.is_layer_right

    @property
    def is_harmless(self) -> bool:
        """Say whether a session without a failure was told so, with its end."""
        is_ordered = self.truth.end in ENDED and self.diagnosis.verdict.cause == "process-killed"
        return self.is_quiet_end or (is_ordered and self.is_end_right)

    @property
    def is_all_listed(self) -> bool:
        """Say whether every one of several causes stands among the hypotheses."""
        listed = {one.cause for one in self.diagnosis.hypotheses}
        return all(listed & set(one.causes) for one in self.truth.answers if one.causes)

    @property
    def faults(self) -> list[str]:
        """Return what is wrong about the answer, in short words."""
        if self.crash:
            return [f"CRASHED: {self.crash}"]
        if self.truth.status == "no-failure":
            found = [] if self.is_harmless else ["not called harmless"]
        elif self.truth.status == "unknown":
            found = [] if self.is_abstention else ["did not abstain"]
        else:
            found = [] if self.is_layer_right else ["layer"]
            found += [] if self.is_cause_right or not self.is_layer_right else ["cause"]
            found += ["host"] if self.truth.hosts and not self.is_host_right else []
        return found + (["LIKELY AND WRONG"] if self.is_likely_wrong else [])
