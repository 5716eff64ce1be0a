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
from apps.web import words
from apps.web.display.spoken_language import as_said
from apps.web.lanes.lettering import cut, letters
from apps.web.sessions.rows import size_text
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


def _news(**more: Any) -> dict[str, Any]:
    """Return a header as news keep it, about a session of the reader."""
    return {
        "title": "as it was said in English",
        "sessions": {"first": "x", "others": 0, "count": 1},
        "kind": "stop",
        "end_state": "failed",
        "cause": "gpu-off-bus",
        "culprits": [DEVICES[0][0]],
        "verdict_status": "likely",
        "is_collecting": False,
        "rival": None,
    } | more


def test_a_title_names_the_cause_that_is_as_likely_in_both_languages() -> None:
    news = _news(verdict_status="possible", rival="rank-exception")
    assert naming.title_told(news) == (
        "Session x stopped: possibly GPU 5 on gpu071 fell off the bus, "
        "or as likely the program raised an exception or crashed"
    )
    with override("ko"):
        assert naming.title_told(news) != naming.title_told(_news(verdict_status="possible"))


def test_a_vague_culprit_gives_way_to_an_exact_one_of_the_same_host() -> None:
    vague, exact = DEVICES[1][0], DEVICES[0][0]
    assert naming.culprits([vague, exact]) == "GPU 5 on gpu071"


def test_many_culprits_are_counted() -> None:
    nodes = [{"kind": "node", "host": f"gpu{n:03}"} for n in range(5)]
    assert naming.culprits(nodes) == "gpu000 and 4 others"


def test_an_action_names_kinds_of_sources_as_people_do() -> None:
    would = statement("shows-host-error")
    asked = said(statement("provide", source="kernel-log", would=would))
    assert asked.startswith("Provide the kernel logs, to show a GPU, link, memory or ")


@pytest.mark.parametrize("is_collecting", [True, False])
@pytest.mark.parametrize("sessions", [{"first": "solar", "others": 2, "count": 3}, None])
@pytest.mark.parametrize("kind", ["stop", "slow", "shared"])
def test_the_title_of_news_is_said_in_the_readers_language(
    kind: str, sessions: dict[str, Any] | None, *, is_collecting: bool
) -> None:
    for end_state in EndState:
        news = _news(
            kind=kind, sessions=sessions, end_state=end_state.value, is_collecting=is_collecting
        )
        english = naming.title_told(news)
        assert ("solar" in english) is (sessions is not None)
        with override("ko"):
            korean = naming.title_told(news)
        assert korean != english
        assert ("solar" in korean) is (sessions is not None)


def test_the_title_of_news_that_an_older_version_kept_stands_as_it_was() -> None:
    news = _news()
    del news["sessions"]
    with override("ko"):
        assert naming.title_told(news) == news["title"]


def test_a_title_says_how_sure_it_is_in_both_languages() -> None:
    sure, unsure = _news(), _news(verdict_status="possible")
    assert naming.title_told(sure) == "Session x stopped: GPU 5 on gpu071 fell off the bus"
    assert (
        naming.title_told(unsure) == "Session x stopped: possibly GPU 5 on gpu071 fell off the bus"
    )
    with override("ko"):
        assert naming.title_told(sure) != naming.title_told(unsure)


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
