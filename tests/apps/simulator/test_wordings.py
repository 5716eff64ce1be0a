"""Fault lines are written after format strings, not copied from the examples of the signatures."""

import re
from functools import cache

import pytest
import yaml

from apps.simulator.world.plan import scenario_names
from apps.simulator.world.story import Weight
from tests.apps.simulator.worlds import world
from tests.shared_files import SHARED, needs_shared

# What differs from run to run: colours, addresses, hosts, hashes, numbers, padding.
MASKS = (
    (r"\x1b\[[0-9;]*m", ""),
    (r"0x[0-9a-fA-F_]+", "#"),
    (r"\b(?:gpu|node)[-a-z]*\d+(?:[.\w-]*)", "HOST"),
    (r"\d+(?:\.\d+){3}", "IP"),
    (r"\b(?=[0-9a-f]*\d)[0-9a-f]{6,}\b", "#"),
    (r"\d+", "#"),
    (r"[.:\-+ ]*#[#.:\-+]*", "#"),
    (r"\s+", " "),
)
# What a collector or launcher puts in front of what the program said.
PREFIXES = (
    r"^(?:\d+: |\[default\d\]:)",
    r"^\[\w{3} \w{3} +\d+ [\d:]+ \d{4}\] ",
    r"^\S+ \S+ kernel: ",
    r"^\w{3} +\d+ [\d:]+ \S+ kernel: ",
    r"^\[ *[\d.]+\] ",
    r"^\[rank\d+\]: ",
)


def _skeleton(text: str) -> str:
    for pattern in PREFIXES:
        text = re.sub(pattern, "", text)
    for pattern, replacement in MASKS:
        text = re.sub(pattern, replacement, text)
    return text.strip()


@cache
def _shown() -> frozenset[str]:
    path = SHARED / "reference" / "signatures" / "signatures.yaml"
    entries = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return frozenset(_skeleton(line) for e in entries for line in str(e["example"]).split("\n"))


def _fault_lines(seed: int) -> list[str]:
    """Return what faults print, without rulers and empty lines."""
    texts = [
        text
        for outcome in world(seed).outcomes.values()
        for line in outcome.lines
        if line.weight is Weight.FAULT
        for text in line.text.split("\n")
    ]
    return [text for text in texts if len(re.findall(r"[A-Za-z]{3,}", text)) >= 2]


@needs_shared
@pytest.mark.parametrize("seed", [1, 7, 23])
def test_at_least_30_in_100_fault_lines_use_words_no_example_shows(seed: int) -> None:
    lines = _fault_lines(seed)
    new = [line for line in lines if _skeleton(line) not in _shown()]
    assert len(lines) > 1000
    assert len(new) / len(lines) >= 0.30


@needs_shared
def test_each_scenario_says_something_in_words_of_its_own() -> None:
    spoken = {
        name: {
            _skeleton(text)
            for line in world().outcomes[name].lines
            if line.weight is not Weight.INNOCENT
            for text in line.text.split("\n")
        }
        for name in scenario_names()
    }
    assert [name for name, texts in spoken.items() if not texts - _shown()] == []
