"""What is open for one entity while findings arrive in the order in which they count."""

from dataclasses import dataclass, field
from datetime import datetime

from apps.diagnosis.detection.fusion.findings import Finding, is_page, score_of
from apps.diagnosis.detection.fusion.rules import HOLD, LEAVE_SHARE, REFRACTORY, Rules


@dataclass(kw_only=True)
class RaisedWarning:
    """A page: what was known when it was raised, and what came to it since."""

    raised_at: datetime
    known: tuple[Finding, ...]  # at `raised_at`
    score: float
    upgrades: bool = False
    gained: list[Finding] = field(default_factory=list)
    left_at: datetime | None = None  # where a graver page took over

    @property
    def is_fatal(self) -> bool:
        """Say whether a hard fact belongs to it."""
        return any(each.is_fatal for each in self.known)

    @property
    def lasts_until(self) -> datetime:
        """The last instant of which something is known."""
        return max(each.expires_at for each in (*self.known, *self.gained))


@dataclass(kw_only=True)
class Track:
    """Findings of one entity: those that are news, the page that is open, the one that waits."""

    rules: Rules
    prior: float = 0.0  # what is known against the entity from before, in 0..1
    active: list[Finding] = field(default_factory=list)
    pages: list[RaisedWarning] = field(default_factory=list)
    waiting_since: datetime | None = None

    def hear(self, finding: Finding) -> None:
        """Take a finding that counts from now on."""
        now = finding.counts_from
        self.settle(now)
        reach = now - self.rules.window
        self.active = [each for each in self.active if each.expires_at >= reach] + [finding]
        page = self._open(now)
        if page is not None:
            self._prolong(page, finding)
        elif self.waiting_since is None and self._pages(self.rules.enter):
            self.waiting_since = now
        if self.waiting_since is not None and any(_is_hard(each) for each in self.active):
            self._raise(now)

    def settle(self, now: datetime) -> None:
        """Raise what has waited long enough before an instant."""
        if self.waiting_since is not None and self.waiting_since + HOLD < now:
            self._raise(self.waiting_since + HOLD)

    def lose(self, findings: list[Finding]) -> None:
        """Give up findings that turned out to be shared; what waited for them waits no more."""
        gone = {id(each) for each in findings}
        self.active = [each for each in self.active if id(each) not in gone]
        if self.waiting_since is not None and not self._pages(self.rules.enter):
            self.waiting_since = None

    def _open(self, now: datetime) -> RaisedWarning | None:
        page = self.pages[-1] if self.pages else None
        return page if page and now <= page.lasts_until + REFRACTORY else None

    def _prolong(self, page: RaisedWarning, finding: Finding) -> None:
        is_graver = not page.is_fatal and any(_is_hard(each) for each in self.active)
        if is_graver and self._pages(self.rules.enter):
            page.left_at = finding.counts_from
            self._raise(finding.counts_from, upgrades=True)
        elif self._pages(self.rules.enter * LEAVE_SHARE):
            page.gained.append(finding)

    def _raise(self, at: datetime, *, upgrades: bool = False) -> None:
        self.waiting_since = None
        self.pages.append(
            RaisedWarning(
                raised_at=at,
                known=tuple(self.active),
                score=self._score(),
                upgrades=upgrades,
            )
        )

    def _pages(self, enter: float) -> bool:
        needed = 1.0 - (1.0 - enter) / max(1.0 - self.prior, 1e-9)
        rules = Rules(enter=needed, support=self.rules.support, window=self.rules.window)
        return is_page(self.active, rules)

    def _score(self) -> float:
        return 1.0 - (1.0 - score_of(self.active)) * (1.0 - self.prior)


def _is_hard(finding: Finding) -> bool:
    """Say whether a fact needs no second look; silence does: others may be silent as well."""
    return finding.is_fatal and finding.anomaly.kind != "silence"
