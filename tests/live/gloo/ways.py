"""The ways in which the runs are broken, and what an expert says of each."""

import signal
from dataclasses import dataclass

from tests.live.gloo.launch import Act, kill_rank, lose_node, signal_launcher

STEP = "step 10/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One run: how it is started, what happens to it."""

    name: str
    arguments: tuple[str, ...] = ()
    shape: str = "alone"
    act: Act | None = None


def _fault(name: str, fault: str, *more: str, shape: str = "alone", act: Act | None = None) -> Way:
    return Way(name=name, arguments=("--fault", fault, *more), shape=shape, act=act)


WAYS = (
    _fault("exception on one rank", "raises"),
    _fault("exception on all ranks", "raises-everywhere"),
    _fault("missing module", "no-module"),
    _fault("missing file", "missing-file"),
    Way(name="bad argument", arguments=("--lerning-rate", "0.1")),
    _fault("bad configuration", "bad-config"),
    _fault("exit 3 without words", "exits-3"),
    _fault("exit 0 early", "exits-0"),
    Way(name="rank killed", act=kill_rank(2, after=STEP)),
    Way(name="rank 0 killed", act=kill_rank(0, after=STEP)),
    _fault("abort with faulthandler", "abort"),
    _fault("abort", "abort-bare"),
    _fault("segmentation fault", "segfault"),
    _fault("segmentation fault with faulthandler", "segfault-handler"),
    _fault(
        "hang with dumps, stopped",
        "hang-dump",
        act=signal_launcher(0, after="Timeout (0:00:08)!", number=signal.SIGTERM, times=4),
    ),
    _fault("collective times out", "hang", "--timeout", "8", "--on", "3"),
    _fault("monitored barrier", "monitored-barrier", "--on", "3"),
    _fault("mismatched collective", "other-shape-collective", "--on", "1"),
    _fault("unused parameters", "unused-parameters"),
    Way(name="port taken", shape="port taken"),
    Way(name="too few ranks", arguments=("--timeout", "10"), shape="too few"),
    Way(name="rank 0 never starts", arguments=("--timeout", "8"), shape="no first"),
    Way(name="agent without its peer", shape="agent without peer"),
    Way(name="rendezvous host absent", shape="rendezvous absent"),
    Way(name="node lost", shape="two agents", act=lose_node(1, after=STEP, ranks=(2, 3))),
    Way(name="first node lost", shape="two agents", act=lose_node(0, after=STEP, ranks=(0, 1))),
    _fault("exception under the second agent", "raises", "--on", "3", shape="two agents"),
    _fault("loss is nan and it goes on", "nan"),
    _fault("loss is nan and it stops", "nan-raises"),
    _fault("loader worker killed", "loader-killed"),
    _fault("loader meets an input error", "loader-raises"),
    _fault("stale file handle", "stale"),
    _fault("host memory", "memory"),
    _fault("allocation fails", "allocate"),
    _fault("too many open files", "few-files"),
    _fault("checkpoint folder absent", "save-absent"),
    _fault("checkpoint disk full", "save-full"),
    _fault("checkpoint corrupt", "corrupt-checkpoint"),
    _fault("checkpoint of another shape", "other-shape"),
    Way(name="told to end", act=signal_launcher(0, after=STEP, number=signal.SIGTERM)),
    Way(name="interrupted by a person", act=signal_launcher(0, after=STEP, number=signal.SIGINT)),
    _fault("restart that succeeds", "raises", "--times", "1", shape="restarting"),
    _fault("restarts used up", "raises", shape="restarting"),
    _fault("caught exceptions", "caught"),
    Way(name="healthy"),
    _fault("healthy with loader workers", "loader-fine"),
    Way(name="healthy under two agents", shape="two agents"),
)
