"""Plain words for every slug: each cause of the reference, each culprit, no slug left over."""

import re
from typing import Any

import pytest
from django.utils.translation import override

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import EndState, statement
from apps.fleet.models import Attempt
from apps.fleet.values import attempt_view
from apps.incidents import words as naming
from apps.web import saying, words
from apps.web.lanes.lettering import cut, letters
from apps.web.sessions.rows import size_text
from apps.web.templatetags.language import as_said
from apps.wording import said

DEVICES: list[tuple[dict[str, Any], str]] = [
    ({"kind": "gpu", "host": "gpu071", "gpu": {"index": 5}}, "GPU 5 on gpu071"),
    ({"kind": "gpu", "host": "gpu071", "gpu": {"index": None}}, "a GPU on gpu071"),
    ({"kind": "nic", "host": "gpu017", "name": "mlx5_3"}, "mlx5_3 on gpu017"),
    ({"kind": "node", "host": "gpu033", "name": None}, "gpu033"),
    ({"kind": "rank", "host": "gpu063", "rank": 73}, "rank 73 on gpu063"),
    ({"kind": "process", "host": "gpu038", "rank": None}, "a process on gpu038"),
    ({"kind": "server", "host": None, "name": "strata-nas1"}, "file server strata-nas1"),
    ({"kind": "mount", "host": None, "name": "/ckpt"}, "/ckpt"),
    ({"kind": "program"}, "the program"),
]


@pytest.mark.parametrize("slug", sorted(load_causes()))
def test_every_cause_of_the_catalog_has_words(slug: str) -> None:
    assert slug in naming.CAUSES


@pytest.mark.parametrize("slug", sorted(naming.CAUSES))
def test_no_cause_speaks_in_slugs(slug: str) -> None:
    spoken = naming.cause(slug)
    for text in (spoken.name, spoken.clause.format(culprit="x"), spoken.plain, spoken.comfort):
        assert not re.search(r"(?<!eer)-(?!of)[a-z]+-[a-z]+|_", text)
        assert text


@pytest.mark.parametrize(("device", "named"), DEVICES)
def test_a_culprit_is_called_as_people_call_it(device: dict[str, Any], named: str) -> None:
    assert naming.culprit(device) == named


def test_a_title_names_the_cause_that_is_as_likely_in_both_languages() -> None:
    devices = [DEVICES[0][0]]
    what = naming.Happening(
        cause="gpu-off-bus", devices=devices, status="possible", rival="rank-exception"
    )
    named: dict[str, Any] = {"session": "x", "kind": "stop", "count": 1, "end_state": "failed"}
    kept = naming.title(**named, what=what)
    assert kept == (
        "Session x stopped: possibly GPU 5 on gpu071 fell off the bus, "
        "or as likely the program raised an exception or crashed"
    )
    told: dict[str, Any] = {"cause_slug": "gpu-off-bus", "devices": devices, "status": "possible"}
    with override("ko"):
        retold = naming.retold(kept, **told, rival="rank-exception")
        assert naming.title(**named, what=what) == retold != kept


def test_a_vague_culprit_gives_way_to_an_exact_one_of_the_same_host() -> None:
    vague, exact = DEVICES[1][0], DEVICES[0][0]
    assert naming.culprits([vague, exact]) == "GPU 5 on gpu071"


def test_many_culprits_are_counted() -> None:
    nodes = [{"kind": "node", "host": f"gpu{n:03}"} for n in range(5)]
    assert naming.culprits(nodes) == "gpu000 and 4 others"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("finding:aer-fatal", "Fatal PCIe errors"),
        ("finding:brand-new", "Brand new"),
        ("metric:silence", "A series stopped: no data, not zero"),
        ("gpu071 reboots", "gpu071 reboots"),
    ],
)
def test_names_for_machines_are_said_in_words(text: str, said: str) -> None:
    assert saying.title(text) == said


def test_evidence_from_a_measurement_names_what_was_measured() -> None:
    text = saying.evidence("counter increase of gpu.pcie.replays")
    assert text.endswith(": rose")
    assert "gpu.pcie" not in text


def test_an_action_names_kinds_of_sources_as_people_do() -> None:
    would = statement("shows-host-error")
    asked = said(statement("provide", source="kernel-log", would=would))
    assert asked.startswith("Provide the kernel logs: it would show a GPU, link, memory or ")


def test_what_the_numbers_of_a_signal_stand_for_stays_in_the_catalog() -> None:
    assert "(" not in saying.evidence("Counter increase of gpu.recovery")
    assert saying.evidence("Silence of gpu.temperature").endswith(": series stopped")


@pytest.mark.parametrize("settled", [True, False])
@pytest.mark.parametrize("session", ["solar", ""])
@pytest.mark.parametrize("kind", ["stop", "slow", "shared"])
def test_a_title_kept_in_english_is_retold_in_the_readers_language(
    kind: str, session: str, *, settled: bool
) -> None:
    what = naming.Happening(
        cause="unknown", devices=[DEVICES[0][0]], status="unknown", settled=settled
    )
    told: dict[str, Any] = {"cause_slug": "unknown", "devices": [DEVICES[0][0]]}
    for end_state in EndState:
        named: dict[str, Any] = {"session": session, "kind": kind, "end_state": end_state.value}
        kept = naming.title(**named, count=1, what=what)
        with override("ko"):
            assert naming.retold(kept, **told) == naming.title(**named, count=1, what=what) != kept
            assert naming.retold("A silent source: gpu001", **told) == "A silent source: gpu001"
        assert naming.retold(kept, **told) == kept


def test_a_title_says_how_sure_it_is_in_both_languages() -> None:
    devices = [DEVICES[0][0]]
    sure = naming.Happening(cause="gpu-off-bus", devices=devices, status="likely")
    unsure = naming.Happening(cause="gpu-off-bus", devices=devices, status="possible")
    named: dict[str, Any] = {"session": "x", "kind": "stop", "count": 1, "end_state": "failed"}
    assert naming.title(**named, what=sure) == "Session x stopped: GPU 5 on gpu071 fell off the bus"
    kept = naming.title(**named, what=unsure)
    assert kept == "Session x stopped: possibly GPU 5 on gpu071 fell off the bus"
    with override("ko"):
        told = naming.title(**named, what=unsure)
        retold = naming.retold(kept, cause_slug="gpu-off-bus", devices=devices, status="possible")
        assert told == retold != naming.title(**named, what=sure)


def test_a_vague_culprit_gives_way_in_every_language() -> None:
    with override("ko"):
        assert naming.culprits([DEVICES[1][0], DEVICES[0][0]]) == "gpu071의 GPU 5"


def test_words_of_the_diagnosis_are_marked_as_english_on_other_pages_alone() -> None:
    assert as_said("a <cable> broke") == "a <cable> broke"
    with override("ko"):
        assert as_said("a <cable> broke") == '<span lang="en">a &lt;cable&gt; broke</span>'
        assert as_said("링크 다운") == "링크 다운"


def test_a_syllable_takes_the_room_of_two_letters() -> None:
    assert letters("GPU 버스") == 8
    assert cut("집합 통신 타임아웃", 10) == "집합 통신…"


@pytest.mark.parametrize(
    ("size", "hosts", "says"),
    [
        (1, ["gpu001"], "1 rank on 1 node"),
        (16, ["gpu001", "gpu002"], "16 ranks on 2 nodes"),
        (None, ["gpu001"], "1 node"),
        (1, [], "1 rank"),
        (None, [], "not reported"),
    ],
)
def test_one_is_not_said_like_many(size: int | None, hosts: list[str], says: str) -> None:
    assert size_text(attempt_view(Attempt(world_size=size, hosts=hosts))) == says


def test_a_sentence_ends_once_where_a_name_brings_a_stop() -> None:
    assert words.one_stop("Held by Example Co..") == "Held by Example Co."
    assert words.one_stop("Held by Example.") == "Held by Example."


@pytest.mark.parametrize(
    ("slug", "device", "said"),
    [
        ("rank-exception", {"kind": "rank", "host": "t02", "rank": 9}, "rank 9 on t02 raised an"),
        ("host-oom", {"kind": "process", "host": "n7", "rank": 2}, "rank 2 on n7 ran out of host"),
    ],
)
def test_a_title_says_nothing_of_others_that_no_line_told(
    slug: str, device: dict[str, Any], said: str
) -> None:
    clause = naming.clause(cause_slug=slug, devices=[device])
    assert clause.startswith(said)
    assert "waited" not in clause
    assert "and a rank" not in clause
