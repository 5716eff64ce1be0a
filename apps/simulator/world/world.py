"""The plan with its faults struck: lines, effects and truth of every attempt."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from apps.simulator.world import faults
from apps.simulator.world.cascade import SCHEDULER_HOST, scheduler_ends, session_line
from apps.simulator.world.kernel_chatter import prefixed, small_talk
from apps.simulator.world.log_templates import nccl, scheduler, torchrun, trainers
from apps.simulator.world.noise import Dice
from apps.simulator.world.plan import BACK_FILL_SECONDS, LIVE, Plan, make_plan
from apps.simulator.world.story import (
    Attempt,
    Effect,
    FaultOutcome,
    FaultScene,
    PrintedLine,
    Weight,
)

_BEATS_PER_RANK = 84  # how often a rank speaks for itself, over an attempt of an hour


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A moment of progress: an iteration, or the start or end of a checkpoint."""

    kind: str  # step save saved
    at: float
    number: int
    seconds: float


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

    def _scene(self, attempt: Attempt, name: str) -> FaultScene:
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
    def attempts(self) -> tuple[Attempt, ...]:
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

    def outcome_of(self, attempt: Attempt) -> FaultOutcome | None:
        """Return the outcome that struck an attempt, its own or a shared one."""
        return next((o for o in self.outcomes.values() if attempt.key in o.halts), None)

    def steps(self, attempt: Attempt, *, until: float) -> Iterator[Step]:
        """Yield an attempt's progress in order, up to an instant."""
        outcome = self.outcome_of(attempt)
        halt = outcome.halts[attempt.key] if outcome else (attempt.ends_at or until)
        slow = outcome.slow_from.get(attempt.key) if outcome else None
        final_save = outcome.final_saves.get(attempt.key) if outcome else None
        dice = Dice(seed=attempt.seed)
        at, number = attempt.iterates_at, trainers.first_step(attempt)
        save_at = at + attempt.save_every_seconds
        while at < min(until, final_save or halt):
            seconds = attempt.step_seconds * dice.between(
                f"pace/{attempt.key}/{number}", 0.98, 1.02
            )
            if slow and at >= slow[0]:
                seconds *= slow[1]
            at += seconds
            number += 1
            if at >= min(until, halt):
                break
            yield Step(kind="step", at=at, number=number, seconds=seconds)
            if at >= save_at and not (final_save and at + 300.0 > final_save):
                duration = self.save_seconds(attempt, at)
                yield Step(kind="save", at=at + 0.2, number=number, seconds=duration)
                at += duration
                save_at = at + attempt.save_every_seconds
                if at < min(until, halt):
                    yield Step(kind="saved", at=at, number=number, seconds=duration)
        if final_save and final_save < until:
            yield Step(kind="save", at=final_save, number=number, seconds=0.0)

    def save_seconds(self, attempt: Attempt, at: float) -> float:
        """Return how long a checkpoint takes; now and then one is innocently slow."""
        dice = Dice(seed=attempt.seed).at(f"save/{attempt.key}/{at:.0f}")
        is_slow = dice.fraction("slow") < 0.25
        return (
            dice.between("seconds", 120.0, 215.0)
            if is_slow
            else dice.between("seconds", 14.0, 38.0)
        )

    def session_lines(self, attempt: Attempt, *, since: float, until: float) -> list[PrintedLine]:
        """Return what the ranks of an attempt print in a span, in order of time."""
        lines = []
        if since <= attempt.starts_at < until:
            lines += self._launch(attempt)
        lines += self._progress(attempt, since=since, until=until)
        outcome = self.outcome_of(attempt)
        if outcome:
            lines += [
                line
                for line in outcome.lines
                if line.stream == "session"
                and line.attempt
                and line.attempt.key == attempt.key
                and since <= line.at < until
            ]
        if attempt.state == "finished" and attempt.ends_at and since <= attempt.ends_at < until:
            lines += self._finish(attempt, attempt.ends_at)
        return sorted(lines, key=lambda line: line.at)

    def _launch(self, attempt: Attempt) -> list[PrintedLine]:
        lines = []
        cluster = self.plan.cluster
        for host in attempt.hosts:
            node, first = cluster.by_name[host], attempt.ranks_on(host)[0]
            text = torchrun.started(attempt=attempt, node=node, at=attempt.starts_at + 2.0)
            lines.append(_innocent(attempt, first, attempt.starts_at + 2.0, text))
        lines.append(_innocent(attempt, 0, attempt.starts_at + 9.0, nccl.version(attempt=attempt)))
        span = (attempt.iterates_at - attempt.starts_at) * 0.6
        for rank in range(attempt.world_size):
            node = cluster.by_name[attempt.host(rank)]
            texts = nccl.launch(attempt=attempt, node=node, rank=rank)
            begins = attempt.starts_at + 10.0 + (rank % 17) * 0.11
            for i, text in enumerate(texts):
                at = begins + span * i / len(texts)
                lines.append(_innocent(attempt, rank, at, text))
        node = cluster.by_name[attempt.host(0)]
        at = attempt.iterates_at - 3.0
        banner = trainers.banner(attempt=attempt, node=node, at=at)
        lines.extend(_innocent(attempt, 0, at, text) for text in banner)
        return lines

    def _progress(self, attempt: Attempt, *, since: float, until: float) -> Iterator[PrintedLine]:
        end = attempt.ends_at or max(self.plan.epoch, attempt.starts_at + 1800.0)
        steps = max((end - attempt.iterates_at) / attempt.step_seconds, 1.0)
        every = max(1, round(steps / _BEATS_PER_RANK))
        outcome = self.outcome_of(attempt)
        slow = outcome.slow_from.get(attempt.key) if outcome else None
        slow_ranks = outcome.slow_ranks if outcome and slow else ()
        speaker = attempt.world_size - 1 if attempt.style.trainer == "megatron" else 0
        for step in self.steps(attempt, until=until):
            if not since <= step.at < until:
                continue
            if step.kind != "step":
                yield self._checkpoint_line(attempt, step)
                continue
            node = self.plan.cluster.by_name[attempt.host(speaker)]
            text = trainers.iteration(
                attempt=attempt, node=node, at=step.at, step=step.number, seconds=step.seconds
            )
            yield _innocent(attempt, speaker, step.at, text)
            if step.number % every == 0:
                lag = step.seconds - attempt.step_seconds if slow and step.at >= slow[0] else 0.0
                yield from self._beats(attempt, step, slow_ranks, lag)

    def _beats(
        self, attempt: Attempt, step: Step, slow_ranks: tuple[int, ...], lag: float
    ) -> Iterator[PrintedLine]:
        base = min(step.seconds, attempt.step_seconds)
        for rank in range(attempt.world_size):
            at = step.at + 0.001 * (rank % 13)
            text = trainers.beat(
                attempt=attempt,
                node=self.plan.cluster.by_name[attempt.host(rank)],
                rank=rank,
                at=at,
                step=step.number,
                seconds=base + (0.0 if rank in slow_ranks else lag / 0.96),
                lag=lag if rank in slow_ranks else -lag / 1.2,
            )
            yield _innocent(attempt, rank, at, text)

    def _checkpoint_line(self, attempt: Attempt, step: Step) -> PrintedLine:
        node = self.plan.cluster.by_name[attempt.host(0)]
        if step.kind == "save":
            text = trainers.save_started(attempt=attempt, node=node, at=step.at, step=step.number)
        else:
            text = trainers.save_finished(
                attempt=attempt, node=node, at=step.at, step=step.number, seconds=step.seconds
            )
        return _innocent(attempt, 0, step.at, text)

    def _finish(self, attempt: Attempt, at: float) -> Iterator[PrintedLine]:
        node = self.plan.cluster.by_name[attempt.host(0)]
        text = trainers.finished(attempt=attempt, node=node, at=at)
        yield _innocent(attempt, 0, at, text)
        for rank in range(attempt.world_size):
            for line in nccl.abort(attempt=attempt, rank=rank):
                yield _innocent(attempt, rank, at + 0.5, line)

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

    def scheduler_lines(self, attempt: Attempt, *, since: float, until: float) -> list[PrintedLine]:
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

    def _scene_of_end(self, attempt: Attempt) -> FaultScene:
        dice = Dice(seed=self.plan.cluster.seed).at("end")
        at = attempt.ends_at or 0.0
        return FaultScene(cluster=self.plan.cluster, attempt=attempt, at=at, dice=dice)


def make_world(*, seed: int, epoch: float, live_at: float | None = None) -> World:
    """Return the world of a seed; nothing is computed before it is asked for."""
    return World(plan=make_plan(seed=seed, epoch=epoch, live_at=live_at))


def back_fill_starts(epoch: float) -> float:
    """Return where the back-fill begins; an old herring may lie a little before."""
    return epoch - BACK_FILL_SECONDS - 7500.0


def _innocent(attempt: Attempt, rank: int, at: float, text: str) -> PrintedLine:
    return session_line(attempt=attempt, rank=rank, at=at, text=text, weight=Weight.INNOCENT)
