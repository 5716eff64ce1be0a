"""What an expert says of runs of PyTorch over gloo that broke in one way each, by its name.

The same table judges the outputs kept in `torch_runs/` and runs that `tests/live` makes anew.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from apps.diagnosis.model import Diagnosis, EndState
from apps.offline.report.note import sections

SURE = frozenset({"likely"})
MAYBE = frozenset({"possible"})
EITHER = SURE | MAYBE
OPEN = frozenset({"unknown"})
FINE = frozenset({"no-failure"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A verdict in an expert's words."""

    status: frozenset[str]
    layer: str
    causes: frozenset[str]
    end: EndState = EndState.FAILED
    ranks: tuple[int, ...] | None = None  # that stopped first; None: nobody did, all alike
    hosts: frozenset[str] = frozenset()  # to leave out
    quoted: str = ""  # of the deciding line

    def as_text(self) -> str:
        """Return it in one line."""
        status, causes = "/".join(sorted(self.status)), " or ".join(sorted(self.causes))
        who = f", rank {', '.join(map(str, self.ranks))} first" if self.ranks else ""
        where = f", without {', '.join(sorted(self.hosts))}" if self.hosts else ""
        return f"{status} {self.layer}/{causes}{who}{where}, {self.end.value}"


def said(diagnosis: Diagnosis) -> str:
    """Return what was concluded, in the same words."""
    verdict, first = diagnosis.verdict, diagnosis.first_stopper
    who = f", rank {', '.join(map(str, first.ranks))} first" if first else ""
    out = diagnosis.restart.exclude_hosts
    where = f", without {', '.join(out)}" if out else ""
    head = f"{verdict.status.value} {verdict.layer.value}/{verdict.cause}"
    return f"{head}{who}{where}, {diagnosis.end_state.value}"


def misses(expected: Expected, diagnosis: Diagnosis, *, hosts: bool = True) -> list[str]:
    """Return in what a diagnosis differs from an expert's."""
    verdict, first = diagnosis.verdict, diagnosis.first_stopper
    quotes = [item.quote for part in sections(diagnosis=diagnosis) for item in part.items]
    found = {
        "status": verdict.status.value in expected.status,
        "layer": verdict.layer.value == expected.layer,
        "cause": verdict.cause in expected.causes,
        "end": diagnosis.end_state is expected.end,
        "rank": (first.ranks if first else None) == expected.ranks,
        "hosts": not hosts or frozenset(diagnosis.restart.exclude_hosts) == expected.hosts,
        "line": not expected.quoted or any(expected.quoted in quote for quote in quotes),
    }
    return [name for name, is_right in found.items() if not is_right]


def _program(*, status: frozenset[str], quoted: str, ranks: tuple[int, ...] | None) -> Expected:
    causes = frozenset({"rank-exception"})
    return Expected(status=status, layer="software", causes=causes, ranks=ranks, quoted=quoted)


def _healthy(quoted: str = "") -> Expected:
    causes = frozenset({"benign"})
    return Expected(
        status=FINE, layer="unknown", causes=causes, end=EndState.FINISHED, quoted=quoted
    )


def _open(*, quoted: str, ranks: tuple[int, ...] | None) -> Expected:
    causes = frozenset({"unknown"})
    return Expected(status=OPEN, layer="unknown", causes=causes, ranks=ranks, quoted=quoted)


def _of(
    layer: str,
    *causes: str,
    quoted: str,
    ranks: tuple[int, ...] | None = None,
    status: frozenset[str] = EITHER,
    hosts: tuple[str, ...] = (),
) -> Expected:
    return Expected(
        status=status,
        layer=layer,
        causes=frozenset(causes),
        ranks=ranks,
        quoted=quoted,
        hosts=frozenset(hosts),
    )


_CANCELLED = Expected(
    status=FINE, layer="host", causes=frozenset({"process-killed"}), end=EndState.CANCELLED
)
EXPECTED: Mapping[str, Expected] = MappingProxyType(
    {
        "exception on one rank": _program(status=SURE, quoted="KeyError", ranks=(2,)),
        "exception on all ranks": _program(status=SURE, quoted="KeyError", ranks=None),
        "missing module": _program(status=SURE, quoted="flash_attn_of_nobody", ranks=None),
        "missing file": _program(status=MAYBE, quoted="tokenizer.json", ranks=None),
        "bad argument": _program(status=SURE, quoted="--lerning-rate", ranks=None),
        "bad configuration": _program(status=SURE, quoted="must be divisible", ranks=None),
        "exit 3 without words": _program(status=MAYBE, quoted="exitcode : 3", ranks=(2,)),
        "exit 0 early": _of("software", "uneven-data", quoted="exitcode", ranks=(2,), status=MAYBE),
        "rank killed": _of(
            "host", "host-oom", "process-killed", quoted="exitcode : -9", ranks=(2,), status=MAYBE
        ),
        "rank 0 killed": _of(
            "host", "host-oom", "process-killed", quoted="exitcode : -9", ranks=(0,), status=MAYBE
        ),
        "abort with faulthandler": _program(status=MAYBE, quoted="error: Aborted", ranks=(2,)),
        "abort": _program(status=MAYBE, quoted="exitcode : -6", ranks=(2,)),
        "segmentation fault": _of(
            "software", "rank-exception", "kernel-bug", quoted="exitcode : -11", ranks=(2,)
        ),
        "segmentation fault with faulthandler": _of(
            "software", "rank-exception", "kernel-bug", quoted="Segmentation fault", ranks=(2,)
        ),
        "hang with dumps, stopped": _open(quoted="in _deadlock", ranks=None),
        "collective times out": _open(quoted="gloo/transport/tcp/unbound_buffer", ranks=(3,)),
        "monitored barrier": _open(quoted="Rank 3 failed to pass monitoredBarrier", ranks=(3,)),
        "mismatched collective": _of(
            "software", "collective-mismatch", quoted="op.preamble.length", ranks=(1,), status=SURE
        ),
        "unused parameters": _program(status=SURE, quoted="Expected to have finished", ranks=None),
        "port taken": _of("software", "wrong-world-size", quoted="has failed to listen"),
        "too few ranks": _of(
            *("network", "rendezvous-unreachable"), quoted="4/8 clients joined", status=MAYBE
        ),
        "rank 0 never starts": _of("network", "rendezvous-unreachable", quoted="timed out after"),
        "agent without its peer": _of(
            "network", "rendezvous-unreachable", quoted="RendezvousTimeoutError", status=MAYBE
        ),
        "rendezvous host absent": _of(
            "network", "rendezvous-unreachable", quoted="timed out after 5000ms"
        ),
        "node lost": _of(
            "host", "node-unreachable", quoted="gloo/transport", status=MAYBE, hosts=("gpu002",)
        ),
        "first node lost": _of(
            "host", "node-unreachable", quoted="gloo/transport", status=MAYBE, hosts=("gpu001",)
        ),
        "exception under the second agent": _program(status=SURE, quoted="KeyError", ranks=(3,)),
        "loss is nan and it goes on": _healthy("loss nan"),
        "loss is nan and it stops": _program(status=MAYBE, quoted="loss is nan", ranks=None),
        "loader worker killed": _of(
            "host", "host-oom", quoted="DataLoader worker", ranks=(1,), status=MAYBE
        ),
        "loader meets an input error": _of(
            "storage", "nfs-unavailable", quoted="Input/output error", ranks=(1,)
        ),
        "stale file handle": _of(
            "storage", "nfs-unavailable", quoted="Stale file handle", ranks=(2,), status=SURE
        ),
        "host memory": _of("host", "host-oom", quoted="MemoryError", ranks=(2,)),
        "allocation fails": _of("host", "host-oom", quoted="can't allocate memory", ranks=(2,)),
        "too many open files": _of(
            "host", "container-limits", quoted="Too many open files", ranks=(2,)
        ),
        "checkpoint folder absent": _program(status=EITHER, quoted="Parent directory", ranks=(0,)),
        "checkpoint disk full": _of("storage", "disk-full", quoted="Error", ranks=(0,)),
        "checkpoint corrupt": _program(status=SURE, quoted="PytorchStreamReader", ranks=None),
        "checkpoint of another shape": _program(status=SURE, quoted="state_dict", ranks=None),
        "told to end": _CANCELLED,
        "interrupted by a person": _CANCELLED,
        "restart that succeeds": _healthy("KeyError"),
        "restarts used up": _program(status=SURE, quoted="KeyError", ranks=(2,)),
        "caught exceptions": _healthy("could not reach the experiment tracker"),
        "healthy": _healthy(),
        "healthy with loader workers": _healthy(),
        "healthy under two agents": _healthy(),
    }
)


def slug(name: str) -> str:
    """Return the folder of a way."""
    return name.replace(" ", "-").replace(",", "")
