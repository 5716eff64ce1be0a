"""Rules by which a holder answers: each names what there is, and a wrong one is refused by name."""

from typing import Any

import pytest

from apps.diagnosis.checks.load import BadCheck, check_of, checks_for, load_checks

GOOD: dict[str, Any] = {
    "answers": ["logs:kernel"],
    "holds": "none",
    "fails": "some",
    "unknown": "whether",
    "stream": "kernel",
    "causes": ["gpu-off-bus"],
}
OF_METRICS: dict[str, Any] = {
    **{name: GOOD[name] for name in ("holds", "fails", "unknown")},
    "answers": ["metrics:gpu"],
    "signal": "gpu.temperature",
    "at_most": 87.0,
}


def test_the_rules_that_are_shipped_can_be_used() -> None:
    assert len(load_checks()) >= 8
    assert check_of("good", GOOD).of == "hosts"
    assert check_of("good", OF_METRICS).at_most == 87.0


@pytest.mark.parametrize(
    "data", ["logs:kernel", "events:gpu", "events:network", "events:storage", "events:host",
             "metrics:gpu", "metrics:network", "metrics:storage", "metrics:host", "logs:fabric",
             "logs:storage", "logs:scheduler"],
)  # fmt: skip
def test_each_class_that_incidents_turn_on_has_a_rule(data: str) -> None:
    assert checks_for(data=data)


def test_what_stands_in_an_answer_says_what_was_looked_for() -> None:
    assert load_checks()["link-errors"].definition == {
        "stream": "kernel",
        "of": "hosts",
        "layers": ["network"],
        "severities": ["warn", "error", "fatal"],
    }
    assert load_checks()["gpu-ecc"].definition == {
        "signal": "gpu.ecc.uncorrectable",
        "rises": False,
    }


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (GOOD | {"colour": "red"}, "colour is unknown"),
        (GOOD | {"holds": ""}, "holds is missing"),
        (GOOD | {"answers": ["logs:soil"]}, "no class of data"),
        (GOOD | {"answers": ["metrics:gpu"]}, "not what it looks at"),
        (GOOD | {"stream": "river"}, "stream or of"),
        (GOOD | {"causes": ["gpu-of-bus"]}, "gpu-of-bus is unknown"),
        (GOOD | {"signatures": ["mce"]}, "one of layers, causes and signatures"),
        (GOOD | {"layers": ["gpu"]}, "layers and severities"),
        (OF_METRICS | {"signal": "gpu.temper"}, "no signal"),
        (OF_METRICS | {"at_least": 3.0}, "one of at_most"),
        ({**OF_METRICS, "at_most": None, "rises": False}, "kept as a rate"),
        ({**GOOD, "stream": ""}, "either stream or signal"),
    ],
)
def test_a_wrong_rule_is_refused_by_name(told: dict[str, Any], why: str) -> None:
    with pytest.raises(BadCheck, match=f"^wrong: .*{why}"):
        check_of("wrong", told)
