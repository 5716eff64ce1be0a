"""What goes into a bundle: what its holder itself has of the incident, and nothing else."""

import json
from typing import Any

import pytest

from apps.sharing.bundles.bundle_contents import BadBundleChoice, BundleSection
from apps.sharing.terms import Level
from apps.tenancy.access import NotFound
from tests.cast import kept_charts
from tests.cast.agreements import agreed
from tests.cast.bundles import kept_file, made
from tests.cast.incidents import Cast as Parties
from tests.cast.incidents import assemble, attempt_of, stop_of
from tests.cast.pushes import Cast
from tests.cast.stopped_session import stopped_by_a_gpu


@pytest.fixture
def people(db: None) -> Cast:
    """A GPU of the operator stopped a session of the tenant; both sent their logs."""
    return stopped_by_a_gpu().people


@pytest.fixture
def cast(db: None) -> Parties:
    """An incident of which the operator keeps charts."""
    parties = assemble()
    kept_charts.keep(parties, stop_of(parties, attempt_of(parties, parties.tenant)))
    return parties


def lines_of(files: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files["lines.ndjson"].decode().splitlines()]


def test_cited_lines_go_with_their_neighbours(people: Cast) -> None:
    public_id = made(people.operator, people.tenant, neighbours=3)

    lines = lines_of(kept_file(people.operator, public_id).files)

    assert [each["cited"] for each in lines] == [False] * 3 + [True] + [False] * 3
    assert "NVRM: Xid" in lines[3]["text"]
    assert "usb 299" in lines[2]["text"]
    assert "eth 0" in lines[4]["text"]
    assert {each["stream"] for each in lines} == {"kernel"}


def test_a_piece_of_evidence_names_its_line(people: Cast) -> None:
    public_id = made(people.operator, people.tenant, neighbours=3)

    evidence = json.loads(kept_file(people.operator, public_id).files["evidence.json"])

    assert {each["line"] for each in evidence if each["line"]} == {4}
    assert any("Xid 79" in each["text"] for each in evidence)


def test_hosts_are_pseudonyms_alike_in_all_files_unless_they_are_to_stay(people: Cast) -> None:
    hidden = kept_file(people.operator, made(people.operator, people.tenant))
    plain = kept_file(people.operator, made(people.operator, people.tenant, keeps_hosts=True))

    (host,) = {each["host"] for each in lines_of(hidden.files)}
    assert host.startswith("host-")
    assert host in lines_of(hidden.files)[0]["text"]
    assert b"gpu001" not in b"".join(hidden.files.values())
    assert {each["host"] for each in lines_of(plain.files)} == {"gpu001"}


def test_at_full_level_lines_stand_as_they_are(people: Cast) -> None:
    public_id = made(people.operator, people.tenant, level=Level.FULL)

    file = kept_file(people.operator, public_id)

    assert "gpu001 kernel: NVRM" in lines_of(file.files)[3]["text"]
    assert file.manifest["redaction"] == {"level": "full"}


def test_what_another_party_shows_is_counted_and_never_goes_on(cast: Parties) -> None:
    agreed(cast.tenant, cast.operator, cast.cluster, preset="open-book")

    file = kept_file(cast.operator, made(cast.operator, cast.vendor, level=Level.FULL))

    (piece,) = json.loads(file.files["evidence.json"])
    assert piece["text"] == "OPERATOR-WORDS"
    assert {"what": "evidence", "why": "not-yours", "count": 1} in file.manifest["withheld"]
    assert {"what": "sessions", "why": "not-yours", "count": 1} in file.manifest["withheld"]


def test_series_go_with_the_band_of_their_peers_in_the_window(cast: Parties) -> None:
    file = kept_file(cast.operator, made(cast.operator, cast.tenant))

    index = json.loads(file.files["series/index.json"])
    assert {each["signal"] for each in index} == set(kept_charts.SIGNALS)
    assert {each["entity"]["host"] for each in index} != {"gpu001"}
    table = file.files[index[0]["file"]].decode().splitlines()
    assert table[0] == "at,value,p5,p25,p50,p75,p95"
    assert len(table) == index[0]["points"] + 1 == kept_charts.STEPS + 1
    assert table[-1].split(",")[1] == ""


def test_series_that_another_party_shows_are_withheld(cast: Parties) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")

    file = kept_file(cast.tenant, made(cast.tenant, cast.vendor))

    assert {"what": "series", "why": "not-yours", "count": 4} in file.manifest["withheld"]
    assert "series/index.json" not in file.files


def test_a_session_goes_without_its_names_to_a_maker_s_support(cast: Parties) -> None:
    file = kept_file(cast.tenant, made(cast.tenant, cast.vendor, profile="support"))

    (session,) = json.loads(file.files["sessions.json"])
    assert session["name"].startswith("session-")
    assert session["hosts"][0].startswith("host-")


def test_only_what_was_chosen_goes(people: Cast) -> None:
    public_id = made(people.operator, people.tenant, sections=frozenset({BundleSection.EVIDENCE}))

    file = kept_file(people.operator, public_id)

    assert set(file.files) == {"README.txt", "evidence.json"}
    assert {each["what"] for each in file.manifest["withheld"]} <= {"evidence"}


def test_a_piece_that_is_left_out_stays_with_its_line(people: Cast) -> None:
    with pytest.raises(BadBundleChoice, match="nothing in it"):
        made(people.operator, people.tenant, left_out=frozenset(range(1, 100)))


def test_who_is_no_party_is_nobody_s_recipient(cast: Parties) -> None:
    with pytest.raises(NotFound):
        made(cast.operator, cast.stranger)
    with pytest.raises(NotFound):
        made(cast.tenant, cast.other_tenant)
