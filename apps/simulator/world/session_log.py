"""What the ranks of one attempt print: their launch, their progress, their end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from apps.simulator.world.cascade import session_line
from apps.simulator.world.log_templates import nccl, torchrun, trainers
from apps.simulator.world.machines.cluster import SimulatedCluster
from apps.simulator.world.story import FaultOutcome, PrintedLine, SimulatedAttempt, Weight

_BEATS_PER_RANK = 84  # how often a rank speaks for itself, over an attempt of an hour


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressMark:
    """A moment of progress: an iteration, or the start or end of a checkpoint."""

    kind: str  # step save saved
    at: float
    number: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLog:
    """The log of an attempt, with what a fault did to it."""

    cluster: SimulatedCluster
    attempt: SimulatedAttempt
    outcome: FaultOutcome | None
    epoch: float
    steps: Iterator[ProgressMark]  # in order, up to the end of what is read

    def lines(self, *, since: float, until: float) -> list[PrintedLine]:
        """Return what the ranks print in a span, in order of time."""
        lines, attempt, outcome = [], self.attempt, self.outcome
        if since <= attempt.starts_at < until:
            lines += self._launch()
        lines += self._progress(since=since, until=until)
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
            lines += self._finish(attempt.ends_at)
        return sorted(lines, key=lambda line: line.at)

    def _launch(self) -> list[PrintedLine]:
        lines, attempt, cluster = [], self.attempt, self.cluster
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

    def _progress(self, *, since: float, until: float) -> Iterator[PrintedLine]:
        attempt, outcome = self.attempt, self.outcome
        end = attempt.ends_at or max(self.epoch, attempt.starts_at + 1800.0)
        steps = max((end - attempt.iterates_at) / attempt.step_seconds, 1.0)
        every = max(1, round(steps / _BEATS_PER_RANK))
        slow = outcome.slow_from.get(attempt.key) if outcome else None
        slow_ranks = outcome.slow_ranks if outcome and slow else ()
        lost = outcome.truth.survived if outcome else None
        is_last = attempt.style.trainer == "megatron"
        kept = [r for r in range(attempt.world_size) if lost is None or r not in lost.ranks]
        speaker = kept[-1] if is_last else kept[0]
        for step in self.steps:
            if not since <= step.at < until:
                continue
            if step.kind != "step":
                yield self._checkpoint_line(step)
                continue
            node = self.cluster.by_name[attempt.host(speaker)]
            text = trainers.iteration(
                attempt=attempt, node=node, at=step.at, step=step.number, seconds=step.seconds
            )
            yield _innocent(attempt, speaker, step.at, text)
            if step.number % every == 0:
                is_held_up = bool(slow_ranks) and slow is not None and step.at >= slow[0]
                lag = step.seconds - attempt.step_seconds if is_held_up else 0.0
                is_lost = lost is not None and step.at >= lost.at
                ranks = kept if is_lost else range(attempt.world_size)
                yield from self._beats(step, ranks, slow_ranks, lag)

    def _beats(
        self, step: ProgressMark, ranks: Sequence[int], slow_ranks: tuple[int, ...], lag: float
    ) -> Iterator[PrintedLine]:
        attempt = self.attempt
        base = min(step.seconds, attempt.step_seconds) if slow_ranks else step.seconds
        for rank in ranks:
            at = step.at + 0.001 * (rank % 13)
            text = trainers.beat(
                attempt=attempt,
                node=self.cluster.by_name[attempt.host(rank)],
                rank=rank,
                at=at,
                step=step.number,
                seconds=base + (0.0 if rank in slow_ranks else lag / 0.96),
                lag=lag if rank in slow_ranks else -lag / 1.2,
            )
            yield _innocent(attempt, rank, at, text)

    def _checkpoint_line(self, step: ProgressMark) -> PrintedLine:
        attempt = self.attempt
        node = self.cluster.by_name[attempt.host(0)]
        if step.kind == "save":
            text = trainers.save_started(attempt=attempt, node=node, at=step.at, step=step.number)
        else:
            text = trainers.save_finished(
                attempt=attempt, node=node, at=step.at, step=step.number, seconds=step.seconds
            )
        return _innocent(attempt, 0, step.at, text)

    def _finish(self, at: float) -> Iterator[PrintedLine]:
        attempt = self.attempt
        node = self.cluster.by_name[attempt.host(0)]
        text = trainers.finished(attempt=attempt, node=node, at=at)
        yield _innocent(attempt, 0, at, text)
        for rank in range(attempt.world_size):
            for line in nccl.abort(attempt=attempt, rank=rank):
                yield _innocent(attempt, rank, at + 0.5, line)


def _innocent(attempt: SimulatedAttempt, rank: int, at: float, text: str) -> PrintedLine:
    return session_line(attempt=attempt, rank=rank, at=at, text=text, weight=Weight.INNOCENT)
