"""Send six hours at once, then go on as things happen, each party with its own token."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import requests

from apps.simulator.announcements import (
    announce_begin,
    announce_changes,
    announce_end,
    announce_exclusions,
    announce_progress,
)
from apps.simulator.demo import Demo, read_demo, read_state, with_live, write_state
from apps.simulator.sender import Sender
from apps.simulator.world import truth
from apps.simulator.world.earlier_weeks import earlier_truths, earlier_weeks
from apps.simulator.world.machines.cluster import inventory
from apps.simulator.world.noise import Dice
from apps.simulator.world.plan import PROJECTS
from apps.simulator.world.reports.changes import changes_of
from apps.simulator.world.reports.exclusions import exclusions_of
from apps.simulator.world.story import PrintedLine, SimulatedAttempt
from apps.simulator.world.world import back_fill_starts, make_world

logger = logging.getLogger(__name__)

LIVE_AFTER_SECONDS = 20.0  # from readiness to the first sign of the live fault
_STORM_SECONDS = 6.0  # from the first sign to the fault itself
_SOONEST_SECONDS = 4.0  # never before the past of its session is on the way
_CATCH_UP_SECONDS = 900.0  # how much of a pause is told afterwards
_LATE_HOST_COUNT = 4
_FIRST_ATTEMPTS = 2  # sent before the running ones, so that an incident is there early


@dataclass(kw_only=True)
class Shipper:
    """One run of the pusher."""

    demo_path: Path
    truth_path: Path
    seed: int
    clock: Callable[[], float]
    stop: threading.Event = field(default_factory=threading.Event)
    tick_seconds: float = 2.0  # between two looks at the present
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> None:
        """Wait for the portal, send what is missing, then follow the clock until told to stop."""
        demo = self._await_portal()
        if demo is None:
            return
        state = read_state(self.state_path, epoch=demo.epoch, seed=self.seed)
        self.state = with_live(
            state,
            max(demo.ready_at + LIVE_AFTER_SECONDS, self.clock() + _SOONEST_SECONDS)
            + _STORM_SECONDS,
        )
        write_state(self.state_path, self.state)
        self.world = make_world(seed=self.seed, epoch=demo.epoch, live_at=self.state.live_at)
        self.tokens, self.base_url = demo.tokens, demo.base_url
        self.earlier = earlier_weeks(self.world)
        self.exclusions = exclusions_of(world=self.world, earlier=self.earlier)
        truths = [outcome.truth for outcome in self.world.outcomes.values()]
        truths += earlier_truths(self.earlier)
        truth.write(path=self.truth_path, truths=sorted(truths, key=lambda each: each.failed_at))
        follower = self._back_fill()
        follower.join()

    @property
    def state_path(self) -> Path:
        """Return where it is remembered what was sent."""
        return self.truth_path.parent / "state.json"

    @cached_property
    def late_hosts(self) -> frozenset[str]:
        """Return the nodes whose kernel log of the six hours arrives after everything else."""
        dice = Dice(seed=self.seed)
        names = [node.name for node in self.world.plan.cluster.nodes]
        return frozenset(dice.sample("late hosts", names, _LATE_HOST_COUNT))

    def _await_portal(self) -> Demo | None:
        while not self.stop.is_set():
            demo = read_demo(self.demo_path)
            if demo and _is_ready(demo.base_url):
                return demo
            self.stop.wait(0.5)
        return None

    def _remember(self, **changes: Any) -> None:
        """Change the state and write it; two threads do so."""
        with self.lock:
            self.state = replace(self.state, **changes)
            write_state(self.state_path, self.state)

    def _sender(self) -> Sender:
        return Sender(base_url=self.base_url, tokens=self.tokens, wait=self._wait)

    def _wait(self, seconds: float) -> None:
        self.stop.wait(seconds)

    # --- the six hours before

    def _back_fill(self) -> threading.Thread:
        """Send what is missing of the past; another thread follows the present meanwhile."""
        sender = self._sender()
        began = self.clock()
        if not self.state.has_inventory:
            self._introduce(sender, until=began)
        since = self.state.shipped_until or began
        cut = max(since, began - _CATCH_UP_SECONDS)
        if "kernel" not in self.state.back_filled:
            self._push_infrastructure(
                sender, since=back_fill_starts(self.world.plan.epoch), until=cut, is_late=False
            )
            self._done("kernel", shipped_until=cut)
        ended, running = self._split(cut)
        for attempt in ended[:_FIRST_ATTEMPTS] + running:
            self._back_fill_attempt(sender, attempt, until=cut)
        follower = threading.Thread(target=self._follow, args=(cut,), name="follower", daemon=True)
        follower.start()
        for attempt in ended[_FIRST_ATTEMPTS:]:
            self._back_fill_attempt(sender, attempt, until=cut)
        if "earlier" not in self.state.back_filled and not self.stop.is_set():
            self._tell_earlier_weeks(sender)
            self._done("earlier")
        if "late" not in self.state.back_filled and not self.stop.is_set():
            self._push_infrastructure(
                sender, since=back_fill_starts(self.world.plan.epoch), until=cut, is_late=True
            )
            self._done("late")
        logger.info(
            "simulator.back_filled",
            extra={
                "line_count": sender.line_count,
                "batch_count": sender.batch_count,
                "refused_count": sender.refused_count,
                "seconds": round(self.clock() - began, 1),
            },
        )
        return follower

    def _split(self, cut: float) -> tuple[list[SimulatedAttempt], list[SimulatedAttempt]]:
        """Return the attempts that are over, in the order they ended, and those that still run."""
        ended = [a for a in self.world.attempts if a.ends_at and a.ends_at < cut]
        running = [a for a in self.world.attempts if not a.ends_at or a.ends_at >= cut]
        return (sorted(ended, key=lambda a: a.ends_at or 0.0), running)

    def _introduce(self, sender: Sender, *, until: float) -> None:
        """Tell the inventory, which sessions were started where, and which nodes were left out."""
        document = inventory(cluster=self.world.plan.cluster, projects=PROJECTS)
        sender.post_document(party="aurora", path="/api/v1/inventory", document=document)
        for attempt in self.world.attempts:
            announce_begin(sender=sender, attempt=attempt)
        announce_exclusions(sender=sender, exclusions=self.exclusions, since=0.0, until=until)
        announce_changes(sender=sender, changes=changes_of(world=self.world), until=until)
        self._remember(has_inventory=True)

    def _back_fill_attempt(
        self, sender: Sender, attempt: SimulatedAttempt, *, until: float
    ) -> None:
        if attempt.key in self.state.back_filled or self.stop.is_set():
            return
        self._push_attempt(sender, attempt, since=attempt.starts_at, until=until)
        self._done(attempt.key)

    def _tell_earlier_weeks(self, sender: Sender) -> None:
        """Tell how three small sessions died on one node in the weeks before."""
        earlier = self.earlier
        for attempt in earlier.attempts:
            announce_begin(sender=sender, attempt=attempt)
            until = (attempt.ends_at or 0.0) + 300.0
            span = {"since": attempt.starts_at, "until": until}
            kernel = earlier.infrastructure_lines(hosts=frozenset(attempt.hosts), **span)
            told = (
                (attempt.organization, earlier.session_lines(attempt, **span)),
                ("keel", earlier.scheduler_lines(attempt, **span)),
                ("aurora", [line for line in kernel if line.stream == "kernel"]),
            )
            for party, lines in told:
                sender.push_lines(party=party, cluster=earlier.plan.cluster, lines=lines)
            announce_end(sender=sender, world=earlier, attempt=attempt)

    def _done(self, name: str, **changes: Any) -> None:
        if not self.stop.is_set():
            self._remember(back_filled=(*self.state.back_filled, name), **changes)

    # --- the present

    def _follow(self, since: float) -> None:
        """Send what happens, a few seconds at a time."""
        sender = self._sender()
        while not self.stop.wait(self.tick_seconds):
            until = self.clock()
            self._push_infrastructure(sender, since=since, until=until, is_late=None)
            announce_exclusions(sender=sender, exclusions=self.exclusions, since=since, until=until)
            for attempt in self.world.attempts:
                if not attempt.ends_at or attempt.ends_at >= since:
                    self._push_attempt(sender, attempt, since=since, until=until)
            since = until
            self._remember(shipped_until=until)

    # --- what both do

    def _push_attempt(
        self, sender: Sender, attempt: SimulatedAttempt, *, since: float, until: float
    ) -> None:
        cluster = self.world.plan.cluster
        lines = self.world.session_lines(attempt, since=since, until=until)
        sender.push_lines(party=attempt.organization, cluster=cluster, lines=lines)
        lines = self.world.scheduler_lines(attempt, since=since, until=until)
        sender.push_lines(party="keel", cluster=cluster, lines=lines)
        announce_progress(
            sender=sender, world=self.world, attempt=attempt, since=since, until=until
        )
        if attempt.ends_at and since <= attempt.ends_at < until:
            announce_end(sender=sender, world=self.world, attempt=attempt)

    def _push_infrastructure(
        self, sender: Sender, *, since: float, until: float, is_late: bool | None
    ) -> None:
        """Push kernels (operator), switches (network vendor), file server (storage vendor)."""
        by_party: dict[str, list[PrintedLine]] = {"aurora": [], "verdant": [], "strata": []}
        for line in self.world.infrastructure_lines(since=since, until=until):
            if is_late is None or (line.host in self.late_hosts) == is_late:
                by_party[_HOLDERS[line.stream]].append(line)
        for party, lines in by_party.items():
            sender.push_lines(party=party, cluster=self.world.plan.cluster, lines=lines)


_HOLDERS = {"kernel": "aurora", "fabric": "verdant", "storage": "strata"}


def _is_ready(base_url: str) -> bool:
    try:
        return requests.get(f"{base_url}/readyz", timeout=5).status_code == 200
    except requests.RequestException:
        return False
