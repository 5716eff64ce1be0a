"""Lines in words that nobody knows, known by the part that prints them: weak, and never a fault by
their form alone where the part prints notes, too."""

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Event, Mark, Origin, Role, Severity, VerdictStatus
from apps.diagnosis.signatures.load import Signature, load_catalog
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.read import read_source
from apps.offline.report.note import sections

PARTS = [load_catalog()[key] for key in sorted(marked(Mark.OF_PART))]
EACH = pytest.mark.parametrize("part", PARTS, ids=lambda part: part.key)
PREFIX = "rack3-n21:90417:90866 [5]"


def said(text: str) -> tuple[Event, ...]:
    """Return what a log says."""
    return read_source(origin=Origin(source="x.log"), text=text).events


@EACH
def test_a_part_is_tried_after_all_that_know_words_and_weighs_nothing(part: Signature) -> None:
    assert part.rank == 2
    assert part.role is Role.CONTEXT
    assert part.severity is Severity.WARN
    assert {"what", "file", "function", "module"} & set(part.pattern.groupindex)


@EACH
def test_a_line_of_a_part_alone_makes_no_likely_verdict(part: Signature) -> None:
    for line in part.examples:
        for text in (line, "\n".join(f"{line} {n}" for n in range(40))):
            read = read_source(origin=Origin(source="x.log"), text=text)
            assert diagnose(readings=[read]).verdict.status is not VerdictStatus.LIKELY


@pytest.mark.parametrize(
    ("line", "key", "fields"),
    [
        (
            f"{PREFIX} transport/net_ib/p2p.cc:88 (ncclIbTest) NCCL WARN NET/IB : odd plane",
            "nccl-part-rdma",
            {"file": "transport/net_ib/p2p.cc", "function": "ncclIbTest", "line": "88"},
        ),
        (
            f"{PREFIX} transport/p2p.cc:88 NCCL WARN an odd plane",
            "nccl-part-gpu",
            {"file": "transport/p2p.cc"},
        ),
        (
            "[ 8.1] mlx5_core 0000:3b:00.0: mlx5_cmd_enable:632:(pid 417): an odd plane",
            "mlx5-part",
            {"pci": "0000:3b:00.0", "function": "mlx5_cmd_enable", "pid": "417"},
        ),
        (
            "[ 8.1] NVRM: GPU3 kgspBootstrap_GH100: MAILBOX1 = 0x1f",
            "nvrm-part",
            {"gpu": "3", "function": "kgspBootstrap_GH100"},
        ),
        (
            "[rank3]:[E1129 08:12:33.504113925 TCPStore.cpp:632] an odd plane",
            "c10d-part",
            {"file": "TCPStore.cpp", "line": "632", "level": "E"},
        ),
    ],
)
def test_a_line_is_given_its_file_its_function_and_its_device(
    line: str, key: str, fields: dict[str, str]
) -> None:
    (event,) = said(line)
    assert event.signature == key
    assert fields.items() <= event.fields.items()


@pytest.mark.parametrize(
    ("note", "trouble"),
    [
        ("nvme nvme0: 16/0/0 default/read/poll queues", "nvme nvme0: Failed to get ANA log: 17"),
        (
            "mlx5_core 0000:3b:00.0: firmware version: 28.39.1002",
            "mlx5_core 0000:3b:00.0 ens1f0np0: Failed to move sq 0x1f to reset",
        ),
        (
            "NVRM: Persistence mode is deprecated and will be removed in a future release.",
            "NVRM: GPU 0000:3b:00.0: Failed to enable MSI",
        ),
        ("NFS: Registering the id_resolver key type", "NFS: bind callback service failed"),
    ],
)
def test_a_note_of_a_driver_is_no_trouble(note: str, trouble: str) -> None:
    (one,), (other,) = said(f"[ 8.1] {note}"), said(f"[ 8.1] {trouble}")
    assert (one.severity, other.severity) == (Severity.INFO, Severity.WARN)
    assert one.signature == other.signature


def test_words_that_are_known_go_before_the_part() -> None:
    (event,) = said(f"{PREFIX} os/linux.cc:795 NCCL WARN Error: failed to extend /dev/shm/n to 33")
    assert event.signature in marked(Mark.OF_PART)
    (event,) = said(
        f"{PREFIX} os/linux.cc:795 NCCL WARN Error: failed to extend /dev/shm/n to 33 bytes"
    )
    assert event.signature == "nccl-shm-extend-failed"


def test_an_unknown_end_shows_the_line_of_the_part_and_not_the_note() -> None:
    text = (
        "[ 7.1] nvme nvme0: 16/0/0 default/read/poll queues\n"
        "[ 8.1] NVRM: GPU3 kgspBootstrap_GH100: MAILBOX1 = 0x1f\n"
    )
    found = diagnose(readings=[read_source(origin=Origin(source="dmesg"), text=text)])
    assert found.verdict.status is VerdictStatus.UNKNOWN
    (noticed,) = (one for one in sections(diagnosis=found) if one.title == "What was noticed")
    (item,) = noticed.items
    assert "The NVIDIA driver tells of an error" in item.text
    assert "kgspBootstrap_GH100" in item.quote


TRACEBACK = """Traceback (most recent call last):
  File "/home/a/train.py", line 41, in <module>
    step()
  File "/usr/lib/python3.12/{folder}/torch/distributed/distributed_c10d.py", line 2501, in all_reduce
    work.wait()
RuntimeError: Tensors must be contiguous
"""  # noqa: E501  a log keeps its lines


def test_an_exception_is_known_by_the_library_that_raised_it() -> None:
    (event,) = (
        one for one in said(TRACEBACK.format(folder="site-packages")) if "exc" in one.fields
    )
    assert event.fields["library"] == "torch.distributed"
    assert event.fields["raised_in"] == "torch/distributed/distributed_c10d.py"
    told = load_catalog()[event.signature].meaning_of(fields=event.fields)
    assert told == "A Python exception, raised by torch.distributed"
    (own,) = (one for one in said(TRACEBACK.format(folder="mine")) if "exc" in one.fields)
    assert "library" not in own.fields
