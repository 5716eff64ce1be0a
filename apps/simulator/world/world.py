"""The plan with its faults struck: lines, effects and truth of every attempt."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from apps.simulator.world import faults
from apps.simulator.world.cascade import SCHEDULER_HOST, scheduler_ends
from apps.simulator.world.kernel_chatter import prefixed, small_talk
from apps.simulator.world.log_templates import scheduler, trainers
from apps.simulator.world.noise import Dice
from apps.simulator.world.plan import BACK_FILL_SECONDS, LIVE, Plan, make_plan
from apps.simulator.world.session_log import ProgressMark, SessionLog
from apps.simulator.world.story import (
    Effect,
    FaultOutcome,
    FaultScene,
    PrintedLine,
    SimulatedAttempt,
    Weight,
)

_LARGE = 400  # ranks, whose checkpoint takes minutes


@dataclass(frozen=True, kw_only=True)
class World:
    """Everything that happens on the cluster of one seed, as far as it is decided."""

    plan: Plan

    @cached_property
    def outcomes(self) -> dict[str, FaultOutcome]:
        """Return what each scenario left behind, by scenario name."""
        known = faults.collect()
        struck = {}
        for attempt in self.plan.attempts:
            if attempt.scenario and attempt.key in self.plan.strikes:
                scene = self._scene(attempt, attempt.scenario)
                struck[attempt.scenario] = known[attempt.scenario].strike(scene)
        return struck

    def _scene(self, attempt: SimulatedAttempt, name: str) -> FaultScene:
        at = self.plan.strikes[attempt.key]
        others = {
            host
            for other in self.plan.attempts
            if other.key != attempt.key and other.starts_at < at and (other.ends_at or at + 1) > at
            for host in other.hosts
        }
        return FaultScene(
            cluster=self.plan.cluster,
            attempt=attempt,
            at=at,
            dice=Dice(seed=self.plan.cluster.seed).at(f"fault/{name}"),
            live=name == LIVE,
            companions=self.plan.of_scenario(name)[1:],
            bystanders=tuple(sorted(others - set(attempt.hosts))),
            silent_host=self.plan.silent_host,
        )

    @cached_property
    def attempts(self) -> tuple[SimulatedAttempt, ...]:
        """Return the attempts with the ends that their faults gave them."""
        ends = {k: at for o in self.outcomes.values() for k, at in o.ended_at.items()}
        states = {
            k: o.truth.attempts[0].state if k == o.truth.attempts[0].key else "failed"
            for o in self.outcomes.values()
            for k in o.ended_at
        }
        return tuple(
            replace(a, ends_at=ends.get(a.key, a.ends_at), state=states.get(a.key, a.state))
            for a in self.plan.attempts
        )

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """Return everything the faults did to metrics."""
        return tuple(e for outcome in self.outcomes.values() for e in outcome.effects)

    def outcome_of(self, attempt: SimulatedAttempt) -> FaultOutcome | None:
        """Return the outcome that struck an attempt, its own or a shared one."""
        return next((o for o in self.outcomes.values() if attempt.key in o.halts), None)

    def steps(self, attempt: SimulatedAttempt, *, until: float) -> Iterator[ProgressMark]:
        """Yield an attempt's progress in order, up to an instant."""
        outcome = self.outcome_of(attempt)
        halt = outcome.halts[attempt.key] if outcome else (attempt.ends_at or until)
        slow = outcome.slow_from.get(attempt.key) if outcome else None
        final_save = outcome.final_saves.get(attempt.key) if outcome else None
        lost = outcome.truth.survived if outcome else None
        dice = Dice(seed=attempt.seed)
        at, number = attempt.iterates_at, trainers.first_step(attempt)
        save_at = at + attempt.save_every_seconds
        while at < min(until, final_save or halt):
            seconds = attempt.step_seconds * dice.between(
                f"pace/{attempt.key}/{number}", 0.98, 1.02
            )
            if slow and at >= slow[0]:
                seconds *= slow[1]
            if lost and at < lost.at <= at + seconds:
                seconds += (
                    lost.repaired_at - lost.at
                )  # who is left waits for the others, and goes on
            at += seconds
            number += 1
            if at >= min(until, halt):
                break
            yield ProgressMark(kind="step", at=at, number=number, seconds=seconds)
            if at >= save_at and not (final_save and at + 300.0 > final_save):
                duration = self.save_seconds(attempt, at)
                yield ProgressMark(kind="save", at=at + 0.2, number=number, seconds=duration)
                at += duration
                save_at = at + attempt.save_every_seconds
                if at < min(until, halt):
                    yield ProgressMark(kind="saved", at=at, number=number, seconds=duration)
        if final_save and final_save < until:
            yield ProgressMark(kind="save", at=final_save, number=number, seconds=0.0)

    def save_seconds(self, attempt: SimulatedAttempt, at: float) -> float:
        """Return how long a checkpoint takes; now and then one is innocently slow."""
        dice = Dice(seed=attempt.seed).at(f"save/{attempt.key}/{at:.0f}")
        if attempt.world_size > _LARGE:
            return dice.between("seconds", 80.0, 140.0)
        is_slow = dice.fraction("slow") < 0.25
        return (
            dice.between("seconds", 120.0, 215.0)
            if is_slow
            else dice.between("seconds", 14.0, 38.0)
        )

    def session_lines(
        self, attempt: SimulatedAttempt, *, since: float, until: float
    ) -> list[PrintedLine]:
        """Return what the ranks of an attempt print in a span, in order of time."""
        log = SessionLog(
            cluster=self.plan.cluster,
            attempt=attempt,
            outcome=self.outcome_of(attempt),
            epoch=self.plan.epoch,
            steps=self.steps(attempt, until=until),
        )
        return log.lines(since=since, until=until)

    def infrastructure_lines(
        self, *, since: float, until: float, hosts: frozenset[str] | None = None
    ) -> list[PrintedLine]:
        """Return what kernels, switches and the file server print in a span, in order of time."""
        lines: list[PrintedLine] = []
        cluster = self.plan.cluster
        for node in cluster.nodes:
            if node.name != self.plan.silent_host and (hosts is None or node.name in hosts):
                lines += small_talk(cluster=cluster, host=node.name, since=since, until=until)
        for outcome in self.outcomes.values():
            lines += [
                line
                for line in outcome.lines
                if line.stream in {"kernel", "fabric", "storage"}
                and since <= line.at < until
                and line.host != self.plan.silent_host
                and (hosts is None or line.host in hosts or line.stream != "kernel")
            ]
        lines.sort(key=lambda line: line.at)
        return [prefixed(cluster=cluster, line=line) for line in lines]

    def scheduler_lines(
        self, attempt: SimulatedAttempt, *, since: float, until: float
    ) -> list[PrintedLine]:
        """Return what the platform's controller logs about an attempt in a span."""
        node = self.plan.cluster.by_name[attempt.hosts[0]]
        text = scheduler.say(
            node=node,
            attempt=attempt,
            at=attempt.starts_at,
            text=scheduler.started(attempt=attempt),
        )
        lines = [
            PrintedLine(
                at=attempt.starts_at,
                stream="scheduler",
                host=SCHEDULER_HOST,
                text=text,
                attempt=attempt,
            )
        ]
        outcome = self.outcome_of(attempt)
        if outcome:
            lines += [
                line
                for line in outcome.lines
                if line.stream == "scheduler" and line.attempt and line.attempt.key == attempt.key
            ]
        elif attempt.ends_at:
            lines += scheduler_ends(
                scene=self._scene_of_end(attempt),
                attempt=attempt,
                at=attempt.ends_at,
                state=attempt.state,
                weight=Weight.INNOCENT,
            )
        return [line for line in lines if since <= line.at < until]

    def _scene_of_end(self, attempt: SimulatedAttempt) -> FaultScene:
        dice = Dice(seed=self.plan.cluster.seed).at("end")
        at = attempt.ends_at or 0.0
        return FaultScene(cluster=self.plan.cluster, attempt=attempt, at=at, dice=dice)


def make_world(*, seed: int, epoch: float, live_at: float | None = None) -> World:
    """Return the world of a seed; nothing is computed before it is asked for."""
    return World(plan=make_plan(seed=seed, epoch=epoch, live_at=live_at))


def back_fill_starts(epoch: float) -> float:
    """Return where the back-fill begins; an old herring may lie a little before."""
    return epoch - BACK_FILL_SECONDS - 7500.0
