"""Which known word was meant, and what is said of names and zones that nobody knows."""

import pytest

from apps.diagnosis.spelling import meant, nearest, shown, wrong_parameters
from apps.diagnosis.zone_names import is_zone, refusal

KNOWN = ("session", "stream", "Host")


@pytest.mark.parametrize(
    ("word", "found"),
    [("sesion", "session"), ("SESSION", "session"), ("hots", "Host"), ("q", None), ("", None)],
)
def test_the_nearest_word_is_found_in_any_case(word: str, found: str | None) -> None:
    assert nearest(word=word, known=KNOWN) == found


def test_the_same_letters_in_another_order_are_nearer_than_more_of_them() -> None:
    assert nearest(word="form", known=("format", "from")) == "from"


def test_nothing_is_guessed_of_what_is_like_nothing() -> None:
    assert meant(word="xyz", known=KNOWN) == ""


def test_a_stranger_s_word_is_shown_short_and_in_one_line() -> None:
    assert shown(word="a\nb\x1b" + "c" * 100) == "a?b?" + "c" * 56


def test_unknown_parameters_and_doubles_are_told_apart() -> None:
    given = {"sesion": ["a"], "stream": ["a", "b"], "Host": ["a"]}

    assert wrong_parameters(given=given, known=KNOWN) == {
        "sesion": "there is no such parameter here; one of Host, session, stream; "
        "did you mean `session`?",
        "stream": "give it once",
    }
    assert wrong_parameters(given={"x": ["a"]}, known=()) == {"x": "no parameters are taken here"}


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        *(("Korea", "Asia/Seoul"), ("Korea/Seoul", "Asia/Seoul"), ("KST", "Asia/Seoul")),
        *(("Asia/Soul", "Asia/Seoul"), ("seoul", "Asia/Seoul"), ("New York", "America/New_York")),
        *(("UTC+9", "Etc/GMT-9"), ("+09:00", "Etc/GMT-9"), ("GMT-5", "Etc/GMT+5")),
        ("Europe/Zürich", "Europe/Zurich"),
    ],
)
def test_a_zone_is_found_by_country_place_and_offset(name: str, zone: str) -> None:
    assert not is_zone(name=name)
    assert is_zone(name=zone)
    assert refusal(name=name).endswith(f"did you mean `{zone}`?")


def test_a_zone_like_none_is_guessed_at_by_nobody() -> None:
    assert "did you mean" not in refusal(name="+99:17")
