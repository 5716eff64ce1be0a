"""Lone codes of the driver, where no cause is known: what the vendor's table says of each."""

from typing import Any

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Origin, Severity, Stream
from apps.diagnosis.noticed_codes import noticed_code
from apps.diagnosis.signatures.read import read_source
from apps.diagnosis.signatures.xid_tables import sxid_codes, xid_codes
from apps.offline.report.note import sections
from apps.wording import ENGLISH
from apps.wording.codes import ADVICE, advice_text
from apps.wording.published import to_json

REMAPPED = "NVRM: Xid (PCI:0000:04:00): 63, pid=71, Row Remapper: New row marked for remapping"
LOST = "NVRM: Xid (PCI:0000:1b:00): 79, pid=71, GPU has fallen off the bus."


def said(line: str) -> Any:
    origin = Origin(source="kernel.log", host="n1", stream=Stream.KERNEL)
    return diagnose(readings=[read_source(origin=origin, text=f"[ 88.1] {line}\n")])


def fact(code: dict[str, Any], **fields: str) -> dict[str, Any]:
    return {"code": code, "fields": fields, "device": None, "host": "n1"}


def test_a_lone_code_is_a_typed_fact_of_an_unknown_verdict() -> None:
    told = to_json(diagnosis=said(REMAPPED))
    assert told["verdict"]["status"] == "unknown"
    (code,) = told["noticed_codes"]
    assert code["device"]["pci"] == "0000:04:00.0"
    assert {name: code[name] for name in ("kind", "code", "severity", "advice", "stops_job")} == {
        "kind": "xid",
        "code": 63,
        "severity": "warn",
        "advice": "reset-later",
        "stops_job": False,
    }
    assert (code["host"], code["source"], code["line"]) == ("n1", "kernel.log", 1)
    assert "row remapping or page retirement" in code["name"]


def test_a_remapping_by_itself_is_called_no_uncorrectable_error() -> None:
    found = said(REMAPPED)
    assert "gpu-ecc-uncorrectable" not in {one.cause for one in found.hypotheses}
    words = [item.text for one in sections(diagnosis=found) for item in one.items]
    assert not [one for one in words if "ncorrectable" in one]
    told = "Reset the GPU at the next pause; nothing has to stop for it."
    assert f"Xid 63 by the vendor's table: programs go on. {told}" in words


def test_where_the_cause_is_known_codes_stand_with_its_evidence() -> None:
    told = to_json(diagnosis=said(LOST))
    assert told["verdict"]["cause"] == "gpu-off-bus"
    assert told["noticed_codes"] == []


@pytest.mark.parametrize(
    ("given", "severity", "stops"),
    [
        (fact({"xid": 79}), Severity.FATAL, True),
        (fact({"xid": 63}), Severity.WARN, False),
        (fact({"xid": 152}), Severity.ERROR, None),
        (fact({"xid": 153}), Severity.ERROR, None),
        (fact({"xid": 149}, sev="Fatal"), Severity.FATAL, True),
        (fact({"sxid": 10001}), Severity.FATAL, True),
        (fact({"sxid": 10001}, sev="Non-fatal"), Severity.WARN, None),
        (fact({"xid": 9999}), Severity.ERROR, None),
    ],
)
def test_what_it_does_to_programs_follows_the_table_and_the_lines_own_word(
    given: dict[str, Any], severity: Severity, stops: Any
) -> None:
    code = noticed_code(fact=given)
    assert code is not None
    assert (code.severity, code.stops_job) == (severity, stops)


@pytest.mark.parametrize("given", [{}, {"code": None}, fact({"errno": 5}), fact({"xid": "many"})])
def test_what_has_no_such_code_is_none(given: dict[str, Any]) -> None:
    assert noticed_code(fact=given) is None


def test_each_advice_of_the_tables_has_words() -> None:
    for kind, table in (("xid", xid_codes()), ("sxid", sxid_codes())):
        for number in table:
            code = noticed_code(fact=fact({kind: number}))
            assert code is not None
            assert code.advice in ADVICE
            assert advice_text(advice=code.advice, speaker=ENGLISH)
