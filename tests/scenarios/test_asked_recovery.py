"""What a GPU's driver asks for after an error is the first thing that there is to do."""

import pytest

from apps.diagnosis.model import Action, Diagnosis, statement
from apps.wording import headline_in_english, in_english
from tests.scenarios.verdicts import diagnosed

CONTAINED = "94, pid=4115, name=python, Contained: SM (0x1). RST: No, D-RST: No"
ASKED = "154, GPU recovery action changed from 0x0 (None) to {0}"
REBOOT, RESET, NONE = "0x2 (Node Reboot Required)", "0x1 (GPU Reset Required)", "0x0 (None)"


def _xid(text: str, second: int, host: str = "node12") -> str:
    at = f"2026-11-20T03:00:{second:02d},100000+00:00"
    return f"{at} {host} kernel: NVRM: Xid (PCI:0000:c1:00): {text}\n"


def _read(*asked: str, elsewhere: str = "") -> Diagnosis:
    lines = [_xid(ASKED.format(one), 2 + number) for number, one in enumerate(asked)]
    other = _xid(ASKED.format(elsewhere), 9, "node13") if elsewhere else ""
    texts = {"kernel/node12.log": _xid(CONTAINED, 1) + "".join(lines)}
    return diagnosed(texts={**texts, "kernel/node13.log": other} if other else texts)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ((REBOOT,), "Reboot the node"),
        ((RESET,), "Reset the GPU"),
        ((RESET, REBOOT), "Reboot the node"),
        (("0x4 (Drain and Reset)",), "Drain the GPU, then reset it"),
    ],
)
def test_what_is_asked_for_last_comes_first(asked: tuple[str, ...], text: str) -> None:
    first, second, *_ = _read(*asked).actions
    assert in_english(first.statement).startswith(f"{text}:")
    assert (first.owner, first.hosts) == ("operator", ("node12",))
    assert in_english(second.statement).startswith("Reset the GPU; replace it")


@pytest.mark.parametrize("asked", [(), (NONE,), (REBOOT, NONE)])
def test_a_driver_that_needs_nothing_asks_for_nothing(asked: tuple[str, ...]) -> None:
    assert len(_read(*asked).actions) == 1


def test_what_the_driver_of_another_node_asks_for_is_not_told_of_this_one() -> None:
    assert Action(
        statement=statement("text", text=""), owner="operator", hosts=("node13",)
    ).hosts not in {one.hosts for one in _read(REBOOT, elsewhere=RESET).actions}


def test_the_story_says_what_is_asked_for() -> None:
    texts = [headline_in_english(one.statement) for one in _read(RESET, REBOOT).timeline]
    assert "The driver asks for a reset of the GPU (Xid 154), 0000:c1:00.0" in texts
    assert "The driver asks for a reboot of the node (Xid 154), 0000:c1:00.0" in texts


OFF = "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."


def test_a_reboot_that_the_driver_asks_for_is_one_action() -> None:
    texts = {"kernel/node12.log": _xid(OFF, 1) + _xid(ASKED.format(REBOOT), 3)}
    told = [in_english(one.statement) for one in diagnosed(texts=texts).actions]
    assert [text for text in told if "eboot the node" in text] == told[:1]
    assert told[1] == "Open a hardware case when it happens again"

    usual = diagnosed(texts={"kernel/node12.log": _xid(OFF, 1)}).actions
    assert (
        in_english(usual[0].statement)
        == "Reboot the node; open a hardware case when it happens again"
    )
