"""A profile says of each kind what is done about it, or it is refused."""

import pytest

from apps.sharing.redaction.kinds import Kind, Treatment
from apps.sharing.redaction.profiles.load import MOST_WORDS, BadProfile, load_profiles, read_profile
from tests.apps.sharing.redaction.owner import OPERATIONS, PSEUDONYMS, read

WHOLE = "\n".join(["[kinds]", *(f'{kind} = "cut"' for kind in Kind if kind is not Kind.SECRET)])


def test_the_profiles_that_come_along() -> None:
    assert set(load_profiles()) == {"operations", "support"}
    for profile in load_profiles().values():
        assert set(profile.treatments) == set(Kind)
        assert profile.cuts(Kind.SECRET)


def test_what_is_cut_leaves_a_mark_and_no_name() -> None:
    profile = read_profile(name="cut", text=WHOLE)
    told = read("gpu1 10.1.2.3 user=minji /mnt/x/y.pt --model lunar-7b loss=2.5", profile=profile)
    assert told == "▒ ▒ user=▒ ▒ --model ▒ loss=▒"


def test_what_is_kept_stays() -> None:
    kept = WHOLE.replace('"cut"', '"keep"')
    profile = read_profile(name="kept", text=kept)
    line = "gpu1 10.1.2.3 user=minji /mnt/x/y.pt MY_VAR=x --model lunar-7b loss=2.5 GPU-1f3c7b20"
    assert read(line, profile=profile) == line
    assert read("--password=hunter2", profile=profile) == "--password=[secret]"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kinds = 1", "no attribute"),
        ("x", "Expected"),
        ("", "kinds"),
        (WHOLE.replace('host = "cut"', ""), "host"),
        (WHOLE.replace("host", "hots"), "hots"),
        (WHOLE.replace("cut", "hide", 1), "hide"),
        (WHOLE + '\nsecret = "keep"', "secret"),
        (WHOLE.replace('loss = "cut"', 'loss = "pseudonym"'), "loss has no pseudonyms"),
    ],
)
def test_a_profile_that_leaves_something_open_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadProfile, match=why):
        read_profile(name="mine", text=text)


def test_an_owner_adds_words_of_its_own() -> None:
    profile = OPERATIONS.with_words(["Artemis", " "])
    assert (
        read("project artemis began", profile=profile)
        == f"project {PSEUDONYMS.name(Kind.WORD, 'artemis')} began"
    )
    assert profile.treatments[Kind.WORD] is Treatment.PSEUDONYM
    with pytest.raises(BadProfile, match="words"):
        OPERATIONS.with_words(f"word{number}" for number in range(MOST_WORDS + 1))
    with pytest.raises(BadProfile, match="words"):
        OPERATIONS.with_words(["x" * 101])
