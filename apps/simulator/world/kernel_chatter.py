"""What healthy kernels say now and then, and how a kernel begins its lines."""

from collections.abc import Iterator
from dataclasses import replace

from apps.simulator.world.log_templates import kernel
from apps.simulator.world.machines.cluster import SimulatedCluster
from apps.simulator.world.noise import Dice
from apps.simulator.world.story import PrintedLine

_TALK_SECONDS = 75.0  # a healthy kernel says something about this often


def small_talk(
    *, cluster: SimulatedCluster, host: str, since: float, until: float
) -> Iterator[PrintedLine]:
    """Yield what the kernel of a host says in a span while nothing is wrong."""
    dice = Dice(seed=cluster.seed).at(f"talk/{host}")
    for index in range(int(since // _TALK_SECONDS), int(until // _TALK_SECONDS) + 1):
        at = (index + dice.fraction(f"at/{index}")) * _TALK_SECONDS
        if since <= at < until:
            subject = dice.integer(f"subject/{index}", 0, 10)
            text = kernel.small_talk(dice=dice, index=subject)
            yield PrintedLine(at=at, stream="kernel", host=host, text=text)


def prefixed(*, cluster: SimulatedCluster, line: PrintedLine) -> PrintedLine:
    """Return a line as its host prints it: one of a kernel with time and name in front."""
    if line.stream != "kernel":
        return line
    node = cluster.by_name[line.host]
    return replace(line, text=kernel.say(node=node, at=line.at, text=line.text))
