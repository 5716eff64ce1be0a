"""The knowledge about causes is whole, and says what it can stand on."""

import csv
from pathlib import Path

import pytest

from apps.diagnosis.causes.load import Cause, load_causes
from apps.diagnosis.model import Layer, Phase
from apps.diagnosis.reasoning.verdict.repeat import SAME_GPU, SAME_UNIT
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.xid_tables import xid_codes

TABLE = Path(__file__).parents[4] / "shared" / "reference" / "causes.csv"
HOLDERS = {"operator", "tenant", "platform", "gpu_vendor", "network_vendor", "storage_vendor"}
CAUSES = sorted(load_causes().values(), key=lambda cause: cause.slug)
each_cause = pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.slug)


@pytest.mark.skipif(
    not TABLE.is_file(),
    reason="no shared folder beside the repository: causes were not held against the table; "
    "put that of the reference there to do so",
)
def test_the_slugs_are_those_of_the_reference_table_with_the_same_layers() -> None:
    with TABLE.open(encoding="utf-8") as rows:
        expected = {row["cause"]: row["layer"] for row in csv.DictReader(rows)}
    assert {slug: cause.layer.value for slug, cause in load_causes().items()} == expected


@each_cause
def test_a_cause_says_who_answers_and_what_to_do(cause: Cause) -> None:
    assert cause.means
    assert cause.action
    assert set(cause.owners) <= HOLDERS
    assert {one.held_by for one in cause.settles} <= HOLDERS


@each_cause
def test_every_symptom_names_something_that_can_be_seen(cause: Cause) -> None:
    known = {*load_catalog(), *CODES}
    signs = {one.sign for one in cause.symptoms if not one.sign.startswith("finding:")}
    assert signs <= known


@each_cause
def test_one_symptom_counts_once(cause: Cause) -> None:
    pairs = [
        (one.sign, one.contains, one.lacks, tuple(sorted(one.where.items())))
        for one in cause.symptoms
    ]
    assert len(pairs) == len(set(pairs))


def test_every_xid_points_to_causes_that_exist() -> None:
    named = {slug for meaning in xid_codes().values() for slug in meaning.causes}
    assert named <= set(load_causes())


def test_without_evidence_no_cause_reaches_a_tenth() -> None:
    assert all(
        cause.prior_in(phase) < -2.3
        for cause in CAUSES
        for phase in Phase
        if cause.slug != "unknown"
    )


def test_each_layer_but_unknown_has_causes_with_an_owner() -> None:
    owned = {cause.layer for cause in CAUSES if cause.owners}
    assert owned == set(Layer) - {Layer.UNKNOWN}


CODES = {
    *(f"xid:{code}" for code in xid_codes()),
    *(f"wc:{status}" for status in range(22)),
    SAME_GPU,
    SAME_UNIT,
    *(f"exit:{code}" for code in (-7, -11, 127, 139)),
}
