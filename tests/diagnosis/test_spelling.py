"""Which known word was meant, and what is said of names and zones that nobody knows."""

import pytest

from apps.diagnosis.spelling import meant, nearest, shown, slipped, wrong_parameters
from apps.diagnosis.zone_names import COMMON, is_zone, refusal

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
        *(("Europe/Zürich", "Europe/Zurich"), ("Soul", "Asia/Seoul"), ("berlni", "Europe/Berlin")),
        *(("CEST", "Europe/Berlin"), ("cest", "Europe/Berlin"), ("PDT", "America/Los_Angeles")),
        *(("MESZ", "Europe/Berlin"), ("AEDT", "Australia/Sydney"), ("+05:30", "Asia/Kolkata")),
        *(("utc", "UTC"), ("Beijing", "Asia/Shanghai"), ("San Francisco", "America/Los_Angeles")),
    ],
)
def test_a_zone_is_found_by_country_place_and_offset(name: str, zone: str) -> None:
    assert not is_zone(name=name)
    assert is_zone(name=zone)
    assert refusal(name=name).endswith(f"did you mean `{zone}`?")


@pytest.mark.parametrize(
    "name", ["+99:17", "KSTT", "CESTT", "IST", "CST", "EETT", "XST", "Etc/GMT-99", "Pome", "a" * 99]
)
def test_a_zone_of_another_time_is_proposed_by_no_spelling(name: str) -> None:
    assert "did you mean" not in refusal(name=name)


def test_every_zone_that_is_proposed_by_meaning_is_one() -> None:
    assert all(is_zone(name=zone) and not is_zone(name=word) for word, zone in COMMON.items())


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        *(("hots", "host"), ("hst", "host"), ("hhost", "host"), ("HOSZ", "host"), ("xdi", "xid")),
        *(("timesatmpp", "timestamp"), ("pid", None), ("site", None), ("timesampp", "timestamp")),
    ],
)
def test_a_slip_is_nearer_than_a_likeness(word: str, meant: str | None) -> None:
    assert slipped(word=word, known=("since", "host", "xid", "timestamp")) == meant
