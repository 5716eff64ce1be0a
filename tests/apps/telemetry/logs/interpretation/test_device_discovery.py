"""Boards that a kernel log names become devices of nodes that are known, and of no others."""

import pytest

from apps.fleet.hosts.host_names import resolve
from apps.fleet.models import Device, Node
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.pushes import Cast, cast, drain_all, push_loki

SECOND = 1_000_000_000
START = 1_795_226_400 * SECOND
UUID = "1f3c7b20-94de-4a61-8b0a-6c2e5d7f9a13"
LINE = f"[88213.402] NVRM: GPU at PCI:0000:9b:00: GPU-{UUID}"
HOST = resolve(name="gpu001", aliases={})


@pytest.fixture
def people() -> Cast:
    """An operator whose one node is known."""
    made = cast()
    with organization_scope(made.operator.pk):
        Node.objects.create(
            organization=made.operator, cluster=made.cluster, name=HOST, first_seen_at=make.AT,
            last_seen_at=make.AT,
        )  # fmt: skip
    return made


def boards(people: Cast, line: str = LINE, **labels: str) -> list[tuple[str, str, str]]:
    """Return the boards that are known once a line came."""
    answer = push_loki(people.token(people.operator), [(START, line)], labels)
    assert answer.status_code == 204
    drain_all(people.operator)
    with organization_scope(people.operator.pk):
        return list(Device.objects.order_by("id").values_list("node__name", "uuid", "pci"))


@pytest.mark.django_db
def test_a_kernel_names_a_board_of_a_node_that_is_known(people: Cast) -> None:
    found = boards(people, stream="kernel", host="gpu001")
    assert found == [(HOST, UUID, "0000:9b:00.0")]


@pytest.mark.django_db
def test_a_line_that_names_its_host_tells_of_that_one(people: Cast) -> None:
    line = f"Nov  9 03:12:44 gpu001 kernel: {LINE}"
    assert boards(people, line, stream="kernel", host="collector") == [(HOST, UUID, "0000:9b:00.0")]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("line", "labels"),
    [
        (LINE, {"stream": "session", "host": "gpu001"}),
        (LINE, {"stream": "kernel", "host": "gpu002"}),
        (LINE, {"stream": "kernel"}),
        ("NVRM: Xid (PCI:0000:9b:00): 79, GPU fell", {"stream": "kernel", "host": "gpu001"}),
    ],
)
def test_other_lines_name_none(people: Cast, line: str, labels: dict[str, str]) -> None:
    assert boards(people, line, **labels) == []
