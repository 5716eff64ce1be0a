"""One value has one name under one key; names of two keys have nothing in common."""

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sharing.redaction.kinds import PREFIXES, Kind
from apps.sharing.redaction.pseudonyms import NAME, Pseudonyms, WeakKey
from tests.apps.sharing.redaction.owner import OTHERS, PSEUDONYMS

NAMED = st.sampled_from(sorted(PREFIXES))
KINDS = NAMED.filter(lambda kind: kind is not Kind.ADDRESS)
UUID = "GPU-1f3c7b20-94de-4a61-8b0a-6c2e5d7f9a13"


@given(KINDS, st.text(min_size=1))
def test_a_value_has_one_name_under_a_key_and_an_unlike_one_under_another(
    kind: Kind, value: str
) -> None:
    name = PSEUDONYMS.name(kind, value)
    assert name == Pseudonyms(b"the key of one agreement").name(kind, value)
    assert NAME.fullmatch(name)
    assert PSEUDONYMS.is_own(name)
    assert name != OTHERS.name(kind, value)


def test_ten_thousand_names_of_a_kind_are_as_many() -> None:
    names = {PSEUDONYMS.name(Kind.HOST, f"node-{number:05d}") for number in range(10_000)}
    assert len(names) == 10_000


def test_names_of_another_key_are_known_for_strange() -> None:
    strange = [OTHERS.name(Kind.HOST, f"n{number}") for number in range(1000)]
    own = sum(map(PSEUDONYMS.is_own, strange))
    assert own < 100  # of one in 28 the proof fits by chance


def test_the_kinds_of_one_word_have_names_of_their_own() -> None:
    letters = {
        PSEUDONYMS.name(kind, "solar").partition("-")[2]
        for kind in PREFIXES
        if kind is not Kind.ADDRESS
    }
    assert len(letters) == len(PREFIXES) - 1


@pytest.mark.parametrize("spelling", ["GPU7", "gpu7.aurora.example", " gpu7 ", "gpu7."])
def test_spellings_of_a_host_are_one_host(spelling: str) -> None:
    assert PSEUDONYMS.name(Kind.HOST, spelling) == PSEUDONYMS.name(Kind.HOST, "gpu7")


def test_hosts_of_one_rack_have_no_letters_in_common() -> None:
    names = [PSEUDONYMS.name(Kind.HOST, f"rack07-n{number:02d}") for number in range(16)]
    assert len({name[5:8] for name in names}) == 16


@pytest.mark.parametrize(
    ("file", "ending"),
    [
        ("step-7.pt", ".pt"),
        ("model-00001-of-00031.safetensors", ".safetensors"),
        ("README", ""),
        (".bashrc", ""),
        ("run.2026", ""),
        ("notes.aboutsolarwind", ""),
    ],
)
def test_a_file_keeps_the_ending_that_says_what_it_is(file: str, ending: str) -> None:
    assert re.fullmatch(r"f-[2-9b-z]{11}" + re.escape(ending), PSEUDONYMS.file_name(file))


def test_a_uuid_keeps_its_form_and_proves_its_key() -> None:
    made = PSEUDONYMS.uuid(UUID)
    assert re.fullmatch(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", made)
    assert made == PSEUDONYMS.uuid(UUID.upper().replace("GPU-", "GPU-"))
    assert PSEUDONYMS.is_own(made)
    assert not PSEUDONYMS.is_own(UUID)
    assert made != OTHERS.uuid(UUID)
    assert made[4:] != UUID[4:]


def test_the_hash_of_a_communicator_keeps_its_form() -> None:
    made = PSEUDONYMS.communicator("1234567890abcdef")
    assert re.fullmatch(r"[0-9a-f]{16}", made)
    assert PSEUDONYMS.is_own(made)
    assert not PSEUDONYMS.is_own("1234567890abcdef")
    assert made != OTHERS.communicator("1234567890abcdef")


def test_a_short_key_is_refused() -> None:
    with pytest.raises(WeakKey, match="16 bytes"):
        Pseudonyms(b"short")


def test_a_mark_tells_texts_apart_and_can_t_be_found_by_trying_them() -> None:
    mine, theirs = Pseudonyms(b"m" * 32), Pseudonyms(b"t" * 32)

    assert mine.mark('["apollo"]') == Pseudonyms(b"m" * 32).mark('["apollo"]')
    assert len({mine.mark("apollo"), mine.mark("artemis"), theirs.mark("apollo")}) == 3
    assert mine.mark("apollo") != hashlib.sha256(b"apollo").hexdigest()[:12]
