"""The way to a node, and which of the two ways to its kernel's log counts."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from apps.collect import nodes
from apps.collect.asking import ProgramAnswer
from apps.collect.nodes import KERNEL, NodeAnswer, Route, Way

AT = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("route", "node", "program"),
    [
        (Route(way=Way.AUTO), "gpu001", "ssh"),
        (Route(way=Way.AUTO, is_running=True), "gpu001", "srun"),
        (Route(way=Way.AUTO), "localhost", "sh"),
        (Route(way=Way.LOCAL), "gpu001", "sh"),
        (Route(way=Way.SSH, is_running=True), "localhost", "ssh"),
        (Route(way=Way.SRUN), "localhost", "srun"),
    ],
)
def test_a_node_is_reached_as_said_else_by_what_fits(route: Route, node: str, program: str) -> None:
    assert route.command(node=node, script="date")[0] == program


def _kernel(tmp_path: Path, says: Mapping[str, tuple[int, str]]) -> NodeAnswer:
    """Return what is taken for the kernel's log where each program says that."""

    def ask(command: Sequence[str], into: Path) -> ProgramAnswer:
        code, text = says.get(command[-1].split(" ")[0], (1, ""))
        into.write_text(text)
        return ProgramAnswer(code=code, complaint=f"of {command[-1].split(' ')[0]}" * code)

    told = nodes.ask_nodes(
        nodes=["gpu001"], route=Route(way=Way.LOCAL), span=(AT, AT), ask=ask, folder=tmp_path
    )
    return next(one for one in told if one.kind == KERNEL)


@pytest.mark.parametrize(
    ("journal", "ring", "command"),
    [
        ((0, "Xid"), (0, "ring"), "journalctl"),
        ((0, "x"), (0, "ring"), "journalctl"),
        ((1, "Xid"), (0, "ring"), "dmesg"),
        ((0, ""), (0, "ring"), "dmesg"),
        ((0, "-- No entries --\n"), (0, "ring"), "dmesg"),
        ((1, ""), (0, ""), "journalctl"),
        ((1, ""), (1, "ring"), "journalctl"),
        ((0, ""), (1, ""), "dmesg"),
    ],
)
def test_the_kernels_ring_stands_in_where_the_journal_says_nothing(
    tmp_path: Path, journal: tuple[int, str], ring: tuple[int, str], command: str
) -> None:
    answer = _kernel(tmp_path, {"journalctl": journal, "dmesg": ring})
    assert answer.command.split(" ")[0] == command
