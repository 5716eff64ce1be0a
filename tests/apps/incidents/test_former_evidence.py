"""Evidence and moments of former versions become facts that are said in the same words."""

from typing import Any

import pytest

from apps.diagnosis.causes.load import PLACE, load_causes
from apps.diagnosis.model import statement_of
from apps.diagnosis.signatures.load import load_catalog
from apps.incidents.migrations._former_evidence import evidence_fact, moment_fact
from apps.wording import headline_in_english, in_english

XID = "nvrm-xid-79"


def _evidence(text: str, cause: str = "gpu/gpu-off-bus", **fact: Any) -> tuple[str, str]:
    told = statement_of(evidence_fact({"text": text, "cause": cause, "fact": fact or None}))
    return told.kind, in_english(told)


def _moment(title: str, **detail: Any) -> tuple[str, str]:
    told = statement_of(moment_fact({"title": title, "detail": detail}))
    return told.kind, headline_in_english(told)


@pytest.mark.parametrize("slug", sorted(load_causes()))
def test_every_symptom_is_recognised_under_its_cause(slug: str) -> None:
    cause = load_causes()[slug]
    for symptom in cause.symptoms:
        text = PLACE.sub("7", symptom.text)
        assert _evidence(text, f"{cause.layer}/{slug}") == ("symptom", text)
        assert _evidence(PLACE.sub("…", symptom.text), slug)[1] == PLACE.sub("…", symptom.text)


def test_every_meaning_of_a_line_is_recognised() -> None:
    for key, one in load_catalog().items():
        if one.meaning:
            assert _moment(one.meaning, signature=key) == ("signature", one.meaning)


def test_a_line_is_told_with_its_number_its_part_and_its_hosts() -> None:
    meaning = load_catalog()[XID].meaning
    fields = {"xid": "79", "pci": "0000:41:00.0"}
    numbered = load_catalog()[XID].meaning_of(fields=fields)
    on_part = f"{numbered}, 0000:41:00.0"
    assert _moment(numbered, signature=XID, fields=fields) == ("signature", numbered)
    assert _moment(on_part, signature=XID, fields=fields) == ("of-part", on_part)
    assert _moment(f"{on_part} on 3 hosts")[0] == "on-hosts"
    assert _moment(f"{on_part} on 3 hosts")[1] == f"{on_part} on 3 hosts"
    assert _moment(meaning, signature=XID, fields={})[1] == meaning


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("it came 12 min after the session had stopped", "came-after-stop"),
        ("it was over 90 s before the failure", "over-before"),
        ("it ended 5 h before the failure", "ended-before"),
        ("the kernel's log prints no time, and goes on for 3 days after it", "kernel-counts-on"),
        ("gpu009 was not part of this session", "host-of-others"),
        ("the session made further steps after it", "session-went-on"),
        ("it was over again; nobody says when", "over-again"),
        ("words that no version wrote", "text"),
    ],
)
def test_what_spoke_against_an_explanation_is_said_as_it_was(text: str, kind: str) -> None:
    assert _evidence(text) == (kind, text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("counter increase of gpu.recovery", ": changed"),
        ("silence of a metric", "A series stopped: no data, not zero"),
        (
            "consistent with saturation at server nas1, seen on 58 hosts",
            "A resource was saturated on 58 hosts, consistent with a fault at file server nas1",
        ),
    ],
)
def test_a_measurement_is_said_as_pages_said_it(text: str, said: str) -> None:
    assert _evidence(text)[1].endswith(said)


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("finding:aer-fatal", "Fatal PCIe errors"),
        ("metric:silence", "A series stopped: no data, not zero"),
        ("The session began to fail", "The session began to fail"),
        ("Acme judged answer 2 right", "Acme judged answer 2 right"),
        ("acme withdrew it, on 2 hosts", "acme withdrew it, on 2 hosts"),
    ],
)
def test_a_moment_is_said_as_pages_said_it(title: str, said: str) -> None:
    assert _moment(title)[1] == said


def test_an_alert_keeps_its_name() -> None:
    (key, one) = next(each for each in load_catalog().items() if "alert" in each[0])
    title = f"{one.meaning}: GpuFellOff"
    told = _moment(title, signature=key, fields={"alert": "GpuFellOff"})
    assert told == ("alert-named", title)
