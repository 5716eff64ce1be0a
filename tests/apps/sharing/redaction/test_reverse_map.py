"""The owner reads what another was shown."""

from apps.sharing.redaction.kinds import Kind
from apps.sharing.redaction.reverse_map import ReverseMap
from tests.apps.sharing.redaction.owner import KNOWN, OTHERS, PSEUDONYMS, read

UUID = "GPU-1f3c7b20-94de-4a61-8b0a-6c2e5d7f9a13"
LINE = f"gpu1 at 10.1.2.3 and 2001:db8::7: /mnt/moonlight/step-7.pt of minji on {UUID}, lunar-7b"
MAP = ReverseMap(
    pseudonyms=PSEUDONYMS,
    known=KNOWN,
    uuids=[UUID],
    paths=["/mnt/moonlight/step-7.pt"],
    others=[(Kind.HOST, "spare-9")],
)


def test_a_line_is_as_it_was() -> None:
    assert read(LINE) != LINE
    assert MAP.restored(read(LINE)) == LINE


def test_what_the_owner_does_not_know_stays_a_pseudonym() -> None:
    strange = OTHERS.name(Kind.HOST, "gpu1")
    assert MAP.value_of(strange) is None
    assert MAP.restored(f"{strange} and 10.1.2.3") == f"{strange} and 10.1.2.3"
    assert MAP.value_of(PSEUDONYMS.name(Kind.HOST, "spare-9")) == "spare-9"
    assert MAP.values[PSEUDONYMS.uuid(UUID)] == UUID


def test_another_key_leads_nowhere() -> None:
    other = ReverseMap(pseudonyms=OTHERS, known=KNOWN)
    assert other.restored(read("gpu1 minji lunar-7b")) == read("gpu1 minji lunar-7b")
