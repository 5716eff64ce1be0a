"""Judged incidents leave the portal as cases without text, and the scores read them."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.incidents.entries import Audience, Opinion
from apps.incidents.judgement.feedback import judge
from apps.incidents.states import Judgement
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of, stop_of
from tests.score import feedback as scores

RIGHT = Opinion(judgement=Judgement.RIGHT)
LINK = Opinion(judgement=Judgement.WRONG, layer="network", cause="link-down")
WORDS = "port 4 of the leaf switch"


def judged(cast: Cast, *told: tuple[float, Opinion]) -> None:
    """Make incidents of these probabilities, each judged by its tenant in words, too."""
    for number, (probability, opinion) in enumerate(told):
        made = stop_of(cast, attempt_of(cast, cast.tenant), probability=probability)
        with organization_scope(cast.tenant.pk):
            judge(
                actor=actor(cast.tenant),
                incident=made,
                opinion=opinion,
                note=WORDS,
                audience=Audience(all_parties=True),
                now=make.AT + timedelta(hours=number),
            )


def exported(*arguments: str) -> list[dict[str, Any]]:
    """Return what the command writes."""
    out = StringIO()
    call_command("feedback", "export", *arguments, stdout=out, stderr=StringIO())
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_case_holds_numbers_and_slugs_and_nobodys_text(cast: Cast) -> None:
    judged(cast, (0.9, LINK))

    (case,) = exported()

    assert case["schema"] == "faultline.feedback/1"
    assert case["opinions"] == [
        {"parts": ["tenant"], "judgement": "wrong", "layer": "network", "cause": "link-down"}
    ]
    assert (case["layer_right"], case["cause_right"]) == (False, False)
    text = json.dumps(case)
    people = (WORDS, "user-", cast.tenant.slug, cast.operator.slug, "gpu001", "OPERATOR-WORDS")
    assert [word for word in people if word in text] == []


def test_an_organization_gets_what_it_may_know_and_the_portal_all_once(cast: Cast) -> None:
    judged(cast, (0.9, LINK), (0.8, RIGHT))

    def count(who: Organization) -> int:
        return len(exported("--organization", who.slug))

    assert len(exported()) == 2
    assert (count(cast.tenant), count(cast.operator), count(cast.vendor)) == (2, 2, 2)
    assert (count(cast.other_tenant), count(cast.stranger)) == (0, 0)
    with pytest.raises(CommandError, match="no organization `nobody`"):
        exported("--organization", "nobody")


def test_an_incident_that_two_parties_judge_is_one_case_with_both_opinions(cast: Cast) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    for who, opinion in ((cast.tenant, RIGHT), (cast.operator, LINK)):
        with organization_scope(who.pk):
            judge(actor=actor(who), incident=incident, opinion=opinion, now=make.AT)

    for found in (exported(), exported("--organization", cast.vendor.slug)):
        (case,) = found
        told = [(one["parts"], one["judgement"]) for one in case["opinions"]]
        assert sorted(told) == [(["operator"], "wrong"), (["tenant"], "right")]
        assert case["layer_right"] is None


def test_a_file_that_can_not_be_written_is_told(cast: Cast, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        exported("--out", str(tmp_path / "nowhere" / "cases.jsonl"))


def test_the_scores_read_what_was_exported(cast: Cast, tmp_path: Path) -> None:
    judged(cast, (0.95, RIGHT), (0.95, LINK), (0.7, RIGHT))
    path = tmp_path / "cases.jsonl"
    exported("--out", str(path))

    cases = scores.read(path=path)
    forecasts = scores.forecasts_of(cases=cases)
    table = scores.table(cases=cases)

    assert [(one.stated, one.is_right) for one in forecasts] == [
        (0.95, True), (0.95, False), (0.7, True),
    ]  # fmt: skip
    assert "3 judged incidents, 0 on which" in table
    assert "| 0.90 to 1.00 | 2 | 0.95 | 0.50 | 0.09 to 0.91 | too few to say |" in table
    assert "| gpu | 3 | 2 | 0.21 to 0.94 | 2 of 3 |" in table


def test_what_was_stated_surer_than_it_was_right_is_told() -> None:
    verdict = {"status": "likely", "layer": "gpu", "cause": "gpu-off-bus", "probability": 0.95}
    case = {"simulated": False, "verdict": verdict, "cause_right": None}
    cases = [case | {"layer_right": number < 8} for number in range(16)]
    assert "| 0.90 to 1.00 | 16 | 0.95 | 0.50 | 0.28 to 0.72 | surer than" in scores.table(
        cases=cases
    )


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"schema": "other/1", "verdict": {}}'])
def test_a_file_of_something_else_is_refused_by_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(f"{line}\n")
    with pytest.raises(scores.BadFeedback, match=r"cases\.jsonl:1"):
        scores.read(path=path)
