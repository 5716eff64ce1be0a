"""A line that tells one of several things is titled by which one it tells."""

from pathlib import Path

import pytest

from apps.diagnosis.model import Event, Origin
from apps.diagnosis.signatures.load import BadSignature, load_catalog, load_folder
from apps.diagnosis.signatures.read import read_source

XID = "[88213.4] NVRM: Xid (PCI:0000:01:00): "
ASKED = "154, GPU recovery action changed from 0x0 (None) to "


def _events(text: str) -> list[Event]:
    reading = read_source(origin=Origin(source="log"), text=text)
    return [*reading.events, *reading.progress]


def _title(line: str) -> str:
    events = _events(f"{line}\n")
    event = next((e for e in events if load_catalog()[e.signature].says), events[0])
    return load_catalog()[event.signature].meaning_of(fields=event.fields)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("[7.1] mlx5_core 0000:98:00.0 eth2np0: Link down", "NIC went down"),
        ("[7.1] mlx5_core 0000:98:00.0 eth2np0: Link up", "NIC came up"),
        ("[7.1] bnxt_en 0000:65:00.0 ens5f0np0: NIC Link is Down", "NIC went down"),
        ("[7.1] mlx5_core 0000:41:00.1: Port module event: module 1, Cable unplugged", "unplugged"),
        ("Sep 14 17:04:01 n21 systemd-networkd[901]: ib3: Lost carrier", "lost its carrier"),
        (f"{XID}94, pid=71, Contained: SM (0x1). RST: No, D-RST: No", "was contained"),
        (f"{XID}95, pid=71, Uncontained: LTC TAG (0x2,0x0). RST: Yes", "was not contained"),
        (f"{XID}64, Failed to remap rows", "could not be remapped"),
        (f"{XID}{ASKED}0x2 (Node Reboot Required)", "asks for a reboot of the node"),
        (f"{XID}{ASKED}0x1 (GPU Reset Required)", "asks for a reset of the GPU"),
        (f"{XID}{ASKED}0x4 (Drain and Reset)", "asks to drain the GPU and reset it"),
        (f"{XID}{ASKED}0x3 (Drain P2P)", "drain peer-to-peer traffic"),
        (f"{XID}{ASKED}0x7 (Something New)", "states which recovery"),
        ("srun: error: n21: task 43: Exited with exit code 1", "ended with an exit code"),
        ("srun: error: n21: task 43: Segmentation fault", "ended by a signal"),
        ("step 20/40 loss nan lr 1.00e-02", "The loss is NaN"),
        ("AssertionError: Loss is inf at step 3", "The loss is infinite"),
    ],
)
def test_a_title_says_which_of_several_things_a_line_tells(line: str, title: str) -> None:
    assert title in _title(line)


def test_what_the_driver_asks_for_is_a_field_of_its_own() -> None:
    (event,) = _events(f"{XID}{ASKED}0x2 (Node Reboot Required)\n")
    assert (event.fields["asked"], event.fields["action"]) == (
        "Node Reboot Required",
        "reboot-node",
    )


def _trainer(loss: str, norm: str, epoch: int) -> str:
    rest = f"'learning_rate': 4.9e-05, 'epoch': 0.{epoch:02d}"
    return f"{{'loss': {loss}, 'grad_norm': {norm}, {rest}}}\n"


@pytest.mark.parametrize(
    ("loss", "norm", "title"),
    [
        ("nan", "nan", "The loss is NaN"),
        ("'nan'", "'nan'", "The loss is NaN"),
        ("inf", "1.2", "The loss is infinite"),
        ("0.0", "nan", "gradient norm is NaN"),
    ],
)
def test_a_lost_loss_of_a_trainer_is_told_once_where_it_began(
    loss: str, norm: str, title: str
) -> None:
    lines = [_trainer("2.31", "0.72", n) if n < 5 else _trainer(loss, norm, n) for n in range(40)]
    events = _events("".join(lines))
    (told,) = [one for one in events if one.signature == "loss-not-a-number"]
    assert told.line.number == 6
    assert title in load_catalog()[told.signature].meaning_of(fields=told.fields)
    assert max(one.line.number for one in events if one.signature == "hf-trainer-log") == 40


@pytest.mark.parametrize("norm", ["inf", "nan"])
def test_a_step_that_is_skipped_for_its_gradient_loses_nothing(norm: str) -> None:
    events = _events("".join(_trainer("2.31", norm, n) for n in range(3)))
    assert {one.signature for one in events} == {"hf-trainer-log"}


def test_a_field_that_no_line_has_can_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(
        "[one]\nrole = 'context'\nseverity = 'info'\nliterals = ['port ']\n"
        "pattern = 'port (?P<state>up)'\n"
        "meaning = 'A port'\nsays.stat = { up = 'A port came up' }\nexamples = ['port up']\n"
    )
    with pytest.raises(BadSignature, match="stat"):
        load_folder(folder=tmp_path)
