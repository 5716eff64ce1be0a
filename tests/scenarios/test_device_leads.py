"""The line that names the part leads a fact, and the echo of it in the session is what is told
already.
"""

from datetime import UTC, datetime

from apps.diagnosis.model import Diagnosis, VerdictStatus
from apps.offline.report import as_text
from apps.wording import in_english
from tests.scenarios.verdicts import diagnosed

STEPS = "".join(
    f"2026-11-20 14:{minute:02d}:{second:02d} | INFO | rank 2 | step {2 * minute + second // 30} | "
    "loss 1.6 | 412.1 tok/s/gpu\n"
    for minute in range(10)
    for second in (0, 30)
)
ECC = (
    "Traceback (most recent call last):\n"
    '  File "/app/sft.py", line 140, in main\n'
    "    loss.backward()\n"
    "RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
)
KERNEL = "2026-11-20T14:09:5{second}+00:00 dgx-03 kernel: NVRM: Xid (PCI:0000:52:00): {said}\n"
FAULTS = "".join(
    KERNEL.format(second=second, said=said)
    for second, said in (
        (7, "48, pid=7102, name=python, DBE (double bit error) ECC"),
        (8, "95, pid='<unknown>', name=<unknown>, Uncontained: LTC TAG (0x2,0x0). RST: Yes"),
        (8, "64, pid='<unknown>', name=<unknown>, Row Remapper: Error recording row remapping"),
    )
)


def _read(kernel: str) -> Diagnosis:
    return diagnosed(
        texts={"session/dgx-03/rank2.log": STEPS + ECC, "kernel/dgx-03.log": kernel},
    )


def test_an_uncontained_error_and_a_failed_remap_lead_the_echo_in_the_session() -> None:
    found = _read(FAULTS)
    told = [(in_english(one.statement), one.weight > 0) for one in found.hypotheses[0].supporting]
    assert [text for text, _ in told][:2] == [
        "uncontained GPU memory error (Xid 95)",
        "replacing a bad memory row failed (Xid 64)",
    ]
    assert ("double-bit ECC error in GPU memory (Xid 48)", False) in told
    assert "95)" in as_text(diagnosis=found).split("What speaks for it\n")[1].splitlines()[0]


def test_a_line_that_names_the_part_leads_one_that_weighs_a_little_more() -> None:
    contained = KERNEL.format(second=8, said="94, pid=7102, name=python, Contained: SM (0x1)")
    first = _read(contained.replace("14:09:58", "14:07:00")).hypotheses[0].supporting[0]
    assert first.host == "dgx-03"
    assert "Xid 94" in in_english(first.statement)


def test_it_broke_when_the_kernel_says_so_where_the_session_carries_no_time_of_it() -> None:
    found = _read(FAULTS)
    assert found.verdict.status is VerdictStatus.LIKELY
    assert found.failed_at == datetime(2026, 11, 20, 14, 9, 57, tzinfo=UTC)
