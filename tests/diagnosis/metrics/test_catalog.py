"""The metric catalog: what it says must exist in the reference and among our own words."""

import csv
from pathlib import Path

import pytest

from apps.diagnosis.metrics.load import CatalogError, catalog, load
from apps.diagnosis.model import Code, Layer, Role, Signal

REFERENCE = Path(__file__).parents[3].parent / "shared" / "reference"
SIGNALS = sorted(catalog().signals.values(), key=lambda each: each.name)

needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="the reference tables are not beside the repository"
)


def column(name: str, *columns: str) -> set[str]:
    """Return the values of some columns of a reference table."""
    with (REFERENCE / name).open(encoding="utf-8", newline="") as file:
        return {row[each] for row in csv.DictReader(file) for each in columns}


@needs_reference
def test_every_metric_is_one_that_an_exporter_is_known_to_serve() -> None:
    known = column("metrics.csv", "metric")
    known |= column("dcgm-renames.csv", "legacy_name", "canonical_name")
    assert {q.metric for signal in SIGNALS for q in signal.queries} <= known


@needs_reference
def test_every_cause_is_in_the_table_of_causes() -> None:
    named = {cause for signal in SIGNALS for cause in signal.causes}
    named |= {c for signal in SIGNALS for code in signal.codes.values() for c in code.causes}
    assert named <= column("causes.csv", "cause")


@needs_reference
def test_renamed_dcgm_fields_are_found_under_their_old_name_too() -> None:
    served = column("metrics.csv", "metric")
    with (REFERENCE / "dcgm-renames.csv").open(encoding="utf-8", newline="") as file:
        old = {row["canonical_name"]: row["legacy_name"] for row in csv.DictReader(file)}
    for signal in SIGNALS:
        names = {query.metric for query in signal.queries}
        assert {old[name] for name in names if name in old} & served <= names, signal.name


@pytest.mark.parametrize("signal", SIGNALS, ids=lambda each: each.name)
def test_watched_signals_say_what_they_may_mean(signal: Signal) -> None:
    assert signal.meaning
    assert signal.unit
    assert all(query.scale > 0 for query in signal.queries)
    assert "peers" not in signal.watch or signal.floor > 0


def test_xid_codes_tell_hardware_from_program_and_teardown() -> None:
    codes = catalog().signals["gpu.xid"].codes
    assert codes[79] == Code(role=Role.INITIATING, layer=Layer.GPU, causes=("gpu-off-bus",))
    assert codes[45].role is Role.TEARDOWN
    assert codes[31].role is Role.CONTEXT


ENTRY = """
[exporter]
host = ['node']
['a.b']
meaning = 'm'
unit = 'u'
family = 'f'
layer = 'gpu'
entity = 'gpu'
semantics = 'gauge'
bad = 'up'
queries = [{metric = 'm'}]
"""


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("layer = 'gpu'", "layer = 'cpu'"),
        ("semantics = 'gauge'", "semantics = 'guage'"),
        ("entity = 'gpu'", "entity = 'car'"),
        ("unit = 'u'\n", ""),
        ("unit = 'u'", "unti = 'u'"),
        ("host = ['node']", "hots = ['node']"),
        ("queries = [{metric = 'm'}]", "queries = [{metrc = 'm'}]"),
    ],
)
def test_a_wrong_entry_is_refused_by_file_and_name(tmp_path: Path, was: str, becomes: str) -> None:
    (tmp_path / "x.toml").write_text(ENTRY.replace(was, becomes, 1))
    with pytest.raises(CatalogError, match=r"x\.toml"):
        load(folder=tmp_path)


def test_a_signal_in_two_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(ENTRY)
    (tmp_path / "y.toml").write_text(ENTRY)
    with pytest.raises(CatalogError, match=r"a\.b is also in x\.toml"):
        load(folder=tmp_path)
