"""What a way is: nodes, what needs to be there, what happens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.live.nodes.stage import Stage

NODES = ("node-a", "node-b", "node-c")
PORT = 29400


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One run, by its name."""

    name: str
    play: Callable[[Stage], None]
    needs: tuple[str, ...] = ()  # modules of the Python that runs it
    programs: tuple[str, ...] = ()
    nodes: tuple[str, ...] = NODES


def torchrun(
    stage: Stage,
    program: str,
    *arguments: str,
    hosts: Sequence[str] = NODES,
    each: int = 1,
    options: Sequence[str] = (),
    before: dict[str, str] | None = None,
    limits: dict[str, str] | None = None,
    environment: dict[str, dict[str, str]] | None = None,
    prefix: dict[str, list[str]] | None = None,
) -> None:
    """Start torchrun on each node, the first as the master; logs are `session/<host>.log`."""
    for index, host in enumerate(hosts):
        command = [
            *((prefix or {}).get(host, [])),
            *(stage.python, "-m", "torch.distributed.run"),
            *("--nnodes", str(len(hosts)), "--nproc-per-node", str(each)),
            *("--node-rank", str(index), "--master-addr", hosts[0], "--master-port", str(PORT)),
            *options,
            stage.program(program),
            *arguments,
        ]
        stage.start(
            host,
            command,
            log=f"session/{host}.log",
            before=(before or {}).get(host, ""),
            limits=(limits or {}).get(host, ""),
            environment=(environment or {}).get(host),
        )
