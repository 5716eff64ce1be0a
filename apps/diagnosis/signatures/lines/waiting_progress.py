"""Of progress only the latest counts: the last line of a voice waits until the batch ends."""

from dataclasses import dataclass, field
from typing import Final

from apps.diagnosis.logs.identity import MARK
from apps.diagnosis.signatures.lines import lost_loss
from apps.diagnosis.signatures.match import SignatureMatch
from apps.diagnosis.signatures.progress.progress_points import UnparsedStep
from apps.diagnosis.signatures.progress.step_times import Voice

WAIT_LIMIT: Final = 1000


@dataclass(slots=True)
class WaitingProgress:
    """Lines of progress that the next of their voice may make worthless."""

    latest: dict[Voice, UnparsedStep | None] = field(default_factory=dict)

    def can_wait(self, step: UnparsedStep, voice: Voice) -> bool:
        """Say whether a line waits now.

        The first of each voice doesn't, so that its time counts for how far the source was heard.
        """
        if voice in self.latest:
            self.latest[voice] = step
            return True
        if len(self.latest) < WAIT_LIMIT:
            self.latest[voice] = None
        return False

    def taken(self) -> list[tuple[Voice, UnparsedStep]]:
        """Return the latest line of each voice that waits, and forget them."""
        waiting = [(voice, each) for voice, each in self.latest.items() if each is not None]
        self.latest.clear()
        return waiting


def is_plain(hit: SignatureMatch) -> bool:
    """Say whether nothing but the latest progress is to be learnt from a line of progress."""
    if not hit.is_whole or hit.signature.once_per or MARK in hit.found.string:
        return False
    has_loss = "loss" in hit.found.re.groupindex
    return not (has_loss and lost_loss.value_of(said=hit.found.groupdict()))
