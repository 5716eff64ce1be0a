"""The second generator: the same seed gives the same files, they are what they say, no wording of
the first is in them but what programs force on both.
"""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import EndState, Layer
from tests.score.composed import by_layer, failures, measures, run
from tests.score.generators import FIRST, SECOND, drawn_seeds
from tests.score.second.files.session import cut
from tests.score.second.files.system import STYLES
from tests.score.second.generate import compose, scenarios
from tests.score.second.wording import FORCED, is_forced, template, templates

MANY = 40
SEEDS = range(900_000, 900_060)
# Each way to write a system log, as whole lines of it look.
SYSTEM = {
    "dmesg": r"\[ *\d+\.\d{6}\] ",
    "dmesg -x": r"kern  :(err|warn|info) * : \[ *\d+\.\d{6}\] ",
    "dmesg -T": r"\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d 2026\] ",
    "dmesg --time-format iso": r"2026-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]\d\d:\d\d ",
    "journalctl": r"[A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \S+ [\w.-]+(\[\d+\])?: ",
    "journalctl -o short-iso": r"2026-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} \S+ [\w.-]+(\[\d+\])?: ",
    "journalctl -o short-precise": r"[A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d\.\d{6} \S+ \S+: ",
    "journalctl -o json": r'\{"__REALTIME_TIMESTAMP": "\d{16}", "_HOSTNAME"',
    "rsyslog": r"2026-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}[+-]\d\d:\d\d \S+ [\w.-]+(\[\d+\])?: ",
    "rsyslog traditional": r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w.-]+(\[\d+\])?: ",
}


def _files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("seed", [3, 14, 159, 2653])
def test_a_seed_gives_the_same_files_and_the_same_truth_again(seed: int, tmp_path: Path) -> None:
    first, _ = compose(seed=seed, folder=tmp_path / "one")
    again, _ = compose(seed=seed, folder=tmp_path / "two")
    assert first == again
    assert _files(tmp_path / "one") == _files(tmp_path / "two")


def test_there_are_enough_scenarios_and_each_of_the_five_layers_has_several() -> None:
    assert len(scenarios()) > MANY
    kinds = Counter(name.partition("-")[0] for name in scenarios())
    assert min(kinds[one] for one in ("gpu", "net", "store", "host", "soft", "open", "end")) >= 4


@pytest.mark.parametrize("scenario", scenarios())
def test_a_truth_is_in_the_words_of_the_engine_and_its_host_is_in_the_files(
    scenario: str, tmp_path: Path
) -> None:
    known = load_causes()
    truth, path = compose(seed=11, folder=tmp_path, scenario=scenario)
    assert truth.end in set(EndState)
    assert (truth.status == "named") == scenario.startswith(
        ("gpu-", "net-", "store-", "host-", "soft-")
    )
    assert truth.answers or truth.status != "named"
    for answer in truth.answers:
        assert answer.layer in set(Layer)
        assert {known[cause].layer for cause in answer.causes} <= {answer.layer}
    text = "\n".join(f"{name}\n{body}" for name, body in _files(path).items()).lower()
    assert not truth.hosts or any(name in text for name in truth.hosts)


@pytest.mark.parametrize("seed", range(40, 64))
def test_files_are_what_they_say(seed: int, tmp_path: Path) -> None:
    truth, path = compose(seed=seed, folder=tmp_path)
    files = _files(path)
    assert files
    looks = re.compile(SYSTEM[truth.styles[1]])
    for name, body in files.items():
        lines = body.splitlines()
        if name.endswith(("dmesg.log", "messages.log")):
            assert all(looks.match(line) for line in lines), name
            assert name.endswith("dmesg.log") != STYLES[truth.styles[1]].names_host
        if "json" in truth.styles[1] and name.endswith("messages.log"):
            assert all(json.loads(line)["MESSAGE"] for line in lines)
        if name == "events.json":
            assert {one["kind"] for one in json.loads(body)["items"]} == {"Event"}
        if name == "sacct.txt":
            assert {line.count("|") for line in lines} == {7}
        if name == "slurmctld.log":
            assert lines == sorted(lines)


def test_a_relay_keeps_every_line_of_its_hosts(tmp_path: Path) -> None:
    relayed = 0
    for seed in range(60):
        _, path = compose(seed=seed, folder=tmp_path / str(seed))
        files = _files(path)
        if "relay/messages.log" in files:
            relayed += 1
            assert [name for name in files if name.endswith("messages.log")] == [
                "relay/messages.log"
            ]
    assert relayed > 2


def test_rotation_takes_no_line_of_the_fault(tmp_path: Path) -> None:
    for seed in range(24):
        _, path = compose(seed=seed, folder=tmp_path / str(seed), scenario="soft-exception")
        assert any("Error: " in text or "BadZip" in text for text in _files(path).values()), seed
    assert cut([str(number) for number in range(100)], 0.6)[-1] == "59"


def test_a_hidden_log_is_not_there(tmp_path: Path) -> None:
    _, path = compose(seed=5, folder=tmp_path, scenario="open-all-wait")
    names = " ".join(_files(path))
    assert not re.search(r"dmesg|messages|slurmctld|sacct|events|opensm|switches", names)


def _proof(scenario: str, pattern: str) -> Callable[[dict[str, str]], bool]:
    return lambda files: bool(re.search(pattern, "\n".join(files.values())))


@pytest.mark.parametrize(
    ("scenario", "pattern"),
    [
        ("gpu-double-bit", r"Xid \(PCI:\S+\): 48, "),
        ("net-port-down", r"Link down|Cable unplugged"),
        ("host-memory", r"Out of memory: Killed process \d+ \(python3\)"),
        ("store-lustre-evicted", r"This client was evicted by"),
        ("soft-gpu-memory", r"out of memory|RESOURCE_EXHAUSTED"),
        ("end-time-limit", r"TIME LIMIT|DeadlineExceeded|TIMEOUT"),
    ],
)
def test_the_line_that_decides_is_at_hand(scenario: str, pattern: str, tmp_path: Path) -> None:
    for seed in range(6):
        _, path = compose(seed=seed, folder=tmp_path / str(seed), scenario=scenario)
        assert _proof(scenario, pattern)(_files(path)), seed


@pytest.mark.parametrize("scenario", ["store-no-space", "gpu-double-bit", "host-reboot"])
def test_steps_are_told_before_a_fault_amid_the_run(scenario: str, tmp_path: Path) -> None:
    told = re.compile(r"iteration +\d|[sS]tep[ :=#]+\d|'loss':|global_step=")
    for seed in range(8):
        _, path = compose(seed=seed, folder=tmp_path / str(seed), scenario=scenario)
        text = "\n".join(_files(path).values())
        assert len(told.findall(text)) > 5, seed


def test_what_both_generators_print_is_forced_by_the_programs() -> None:
    first = templates(compose=FIRST.compose, seeds=SEEDS)
    second = templates(compose=SECOND.compose, seeds=SEEDS)
    assert len(second) > 500
    assert sorted(one for one in first & second if not is_forced(one)) == []


def test_a_template_drops_collectors_hosts_and_numbers() -> None:
    seen = "Mar 21 19:32:45 cn-025 kernel: NVRM: Xid (PCI:0000:07:00): 45, pid=22, Ch 00000003"
    assert template(seen) == "NVRM: Xid (PCI:): #, pid=#, Ch #"
    assert not is_forced("a sentence of our own")
    assert all(FORCED.values())


def test_either_author_is_scored_alike() -> None:
    found = [run(seed=seed, generator=SECOND) for seed in (1, 2)]
    rows = measures(found=found, generator=SECOND)
    assert {one.name for one in rows} >= {"second generator: crashes", "second generator: layer"}
    assert [one.name for one in rows if one.at_most is not None] == ["second generator: crashes"]
    assert len(failures(found=found, generator=SECOND)) <= len(found)
    assert not any(one.crash for one in found)
    assert sum(int(row.split()[-1]) for row in by_layer(found=found)) == len(found)


def test_seeds_follow_from_the_last_change_of_the_engine() -> None:
    try:
        drawn = drawn_seeds(count=5)
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("no history of the code here: no seeds were drawn from its last change")
    assert drawn == drawn_seeds(count=5)
    assert len(drawn) == 5
    assert drawn.start > SECOND.seeds.stop
