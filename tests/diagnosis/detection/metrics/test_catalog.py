"""The metric catalog: what it says must exist in the reference and among our own words."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from apps.diagnosis import stats
from apps.diagnosis.detection.metrics.describe import find, subsystem_of
from apps.diagnosis.detection.metrics.load import CatalogError, catalog, load
from apps.diagnosis.model import Layer, ReadSchedule, Role, Semantics, Signal, SignalCode

SHARED = Path(__file__).parents[4].parent / "shared"
REFERENCE = SHARED / "reference"
SCRAPES = SHARED / "data" / "exposition"
SIGNALS = sorted(catalog().signals.values(), key=lambda each: each.name)

UNITS = """
    CPUs GB/s GPUs Hz J KiB MB/s MHz MiB V W addresses alerts banks bits blocks bytes bytes/s
    clients code codewords connections cycles disks errors events files flag generation info
    jobs lanes links nodes number operations operations/s packets pages partitions percent
    processes ratio requests rows rpm rules samples scrapes seconds series slots sockets steps
    tasks threads ticks times tokens/s transfers/s °C µs
"""
# What votes once in fusion. A word that stands here once too often is a typing error.
FAMILIES = """
    accelerator alerts c2c clock collectives congestion container ecc ethernet ethernet-drops
    ethernet-link ethernet-quality gpu-config gpu-health gpu-processes host-activity
    host-config host-disk host-ecc host-filesystem host-io host-limits host-load host-memory
    host-network host-paging host-pcie host-power host-stall host-thermal host-time link
    link-quality memory monitoring nfs-client nfs-load nfs-queue nfs-server nfs-transport
    nic-health nic-pcie nvlink nvlink-fabric nvlink-traffic nvswitch optics pcie pcie-link
    pcie-traffic platform power presence rdma-completions rdma-retries rdma-traffic row-remap
    scheduler steps storage-background storage-capacity storage-health storage-latency storage-load
    temperature throttling utilisation xid
"""
DETECTORS = """
    codes increase limit peers saturation silence throttling change drift collapse remaps spinning
    steps trickle fewer stuck latency progress
"""

needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="no shared/reference beside the repository: put it there"
)


def column(name: str, *columns: str) -> set[str]:
    """Return the values of some columns of a reference table."""
    with (REFERENCE / name).open(encoding="utf-8", newline="") as file:
        return {row[each] for row in csv.DictReader(file) for each in columns}


def scraped(name: str) -> set[str]:
    """Return the metric names of a scrape that somebody took."""
    lines = (SCRAPES / name).read_text(encoding="utf-8").splitlines()
    typed = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    bare = {re.split(r"[{\s]", line)[0] for line in lines if line and not line.startswith("#")}
    return typed | {name for name in bare if re.sub("_(bucket|sum|count)$", "", name) not in typed}


@needs_reference
def test_every_metric_that_is_read_is_one_that_an_exporter_is_known_to_serve() -> None:
    known = column("metrics.csv", "metric") | scraped("node_exporter.prom")
    known |= column("dcgm-renames.csv", "legacy_name", "canonical_name")
    read = {
        query.metric
        for signal in SIGNALS
        for query in signal.queries
        # Programs are asked to use the names of training.toml: no exporter has any.
        if signal.read is not ReadSchedule.KNOWN and signal.exporter != "training"
    }
    assert read <= known


# The groups of the reference whose exporters the catalog speaks of, and names it cannot hold:
# gpud puts the name of each of its components in front.
EXPORTERS = (
    "dcgm-exporter",
    "node_exporter",
    "node_exporter(ethtool mlx5)",
    "all-smi",
    "nvidia_gpu_exporter",
    "gpud",
    "nccl-inspector",
    "vast-exporter",
    "vast-csi",
    "lustre_exporter",
    "slurm(native 25.11)",
    "prometheus-slurm-exporter(vpenso)",
    "backend.ai",
    "prometheus",
)


@needs_reference
@pytest.mark.parametrize("exporter", EXPORTERS)
def test_every_metric_of_the_reference_is_known_by_name(exporter: str) -> None:
    with (REFERENCE / "metrics.csv").open(encoding="utf-8", newline="") as file:
        listed = {row["metric"] for row in csv.DictReader(file) if row["exporter"] == exporter}
    assert listed
    unheard = {name for name in listed if name not in catalog().metrics}
    assert not {name for name in unheard if not name.startswith("<component>")}


@needs_reference
@pytest.mark.parametrize("name", sorted(path.name for path in SCRAPES.glob("*.prom")))
def test_scrapes_that_somebody_took_are_recognised(name: str) -> None:
    names = {each for each in scraped(name) if not each.startswith("testmetric")}
    entries = {each for each in names if each in catalog().metrics}
    known = entries | {each for each in names if subsystem_of(each)}
    assert len(known) >= 0.99 * len(names), sorted(names - known)
    # A third of what node_exporter can serve has entries; the rest are collectors nobody needs.
    assert len(entries) >= 0.3 * len(names)


@needs_reference
def test_the_meaning_of_a_value_is_the_reference_s_and_not_the_type_s() -> None:
    """What the reference calls a rate is a counter here, whatever type the exporter declares."""
    with (REFERENCE / "metrics.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["metric"] in catalog().metrics]
    wrong = [
        row["metric"]
        for row in rows
        for signal, _ in catalog().metrics[row["metric"]]
        if row["semantics"] == "counter->rate" and signal.semantics is not Semantics.COUNTER
    ]
    assert wrong == []


@needs_reference
def test_old_and_new_names_of_a_field_are_one_signal_with_the_unit_brought_over() -> None:
    factors = {
        "MHz->Hz (x1e6)": 1e6,
        "MB->bytes": 1e6,
        "percent->ratio (/100)": 0.01,
        "mJ->J (/1e3)": 1e-3,
        "": 1.0,
    }
    with (REFERENCE / "dcgm-renames.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    compared = 0
    for row in rows:
        old = dict(scales(row["legacy_name"]))
        new = dict(scales(row["canonical_name"]))
        if not row["canonical_name"].startswith("DCGM") or not (old or new):
            continue
        compared += 1
        assert old.keys() == new.keys(), row["legacy_name"]
        if "verify unit" in row["kind"] or row["unit_change"] == "check":
            continue
        for name, scale in old.items():
            assert scale / new[name] == pytest.approx(factors[row["unit_change"]]), row
    assert compared > 100


def scales(metric: str) -> list[tuple[str, float]]:
    """Return the signals of a metric name, and the factor to the unit of each."""
    return [(signal.name, query.scale) for signal, query in catalog().metrics.get(metric, ())]


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


def test_watched_signals_say_what_they_may_mean() -> None:
    assert [signal.name for signal in SIGNALS if not says_what_it_means(signal)] == []


def says_what_it_means(signal: Signal) -> bool:
    """Say whether a signal has words, factors and, where members are compared, a yardstick."""
    is_measured = signal.floor > 0 or {"peers", "change", "drift"}.isdisjoint(signal.watch)
    scales_up = all(query.scale > 0 for query in signal.queries)
    return bool(signal.meaning and signal.unit) and scales_up and is_measured


def test_no_word_is_unknown() -> None:
    assert {signal.unit for signal in SIGNALS} == {*UNITS.split(), "unix seconds"}
    assert {signal.family for signal in SIGNALS} == set(FAMILIES.split())
    assert {name for signal in SIGNALS for name in signal.watch} == set(DETECTORS.split())
    assert all(name.isidentifier() for name in catalog().metrics)
    assert not [each for each in SIGNALS if "{" in each.name + each.meaning]


def test_what_a_detector_watches_is_always_read() -> None:
    for signal in SIGNALS:
        assert (signal.read is ReadSchedule.ALWAYS) == bool(signal.watch), signal.name


def test_what_falls_because_it_is_forgotten_is_no_counter() -> None:
    for name in ("DCGM_EXP_XID_ERRORS_COUNT", "DCGM_EXP_CLOCK_EVENTS_COUNT"):
        assert {s.semantics for s, _ in catalog().metrics[name]} == {Semantics.WINDOWED}


@pytest.mark.parametrize(
    ("metric", "signal"),
    [
        ("DCGM_EXP_XID_ERRORS_COUNT", "gpu.xid.recent"),
        ("nvidia_smi_xid_errors_total", "smi.xid"),
        ("accelerator_nvidia_xid_errors_total", "gpud.xid"),
    ],
)
def test_counts_of_xid_errors_tell_hardware_from_program_by_their_code(
    metric: str, signal: str
) -> None:
    for code, name in (("79", "off_bus"), ("94", "ecc"), ("145", "nvlink"), ("31", "program")):
        found = find(metric=metric, labels={"xid": code})
        assert found is not None
        assert found[0].name == f"{signal}.{name}"
        assert found[0].causes == catalog().signals["gpu.xid"].codes[int(code)].causes
        assert found[0].role is catalog().signals["gpu.xid"].codes[int(code)].role
    other = find(metric=metric, labels={"xid": "999"})
    assert other is not None
    assert other[0].name == signal


@pytest.mark.parametrize(
    "metric",
    [
        "accelerator_nvidia_ecc_volatile_total_uncorrected",
        "nvidia_smi_remapped_rows_correctable",
        "nvidia_smi_ecc_errors_corrected_volatile_total",
        "accelerator_nvidia_infiniband_link_downed",
    ],
)
def test_counters_that_exporters_type_as_gauges_are_counters(metric: str) -> None:
    ((signal, _),) = catalog().metrics[metric]
    assert signal.semantics is Semantics.COUNTER


@pytest.mark.parametrize("metric", ["csi_node_nfs_xprt_backlog_total"])
def test_levels_that_are_called_total_are_levels(metric: str) -> None:
    ((signal, _),) = catalog().metrics[metric]
    assert signal.semantics is Semantics.GAUGE


@needs_reference
def test_the_blank_value_of_a_scrape_is_missing_and_never_a_temperature() -> None:
    lines = (SCRAPES / "dcgm_exporter_readme.prom").read_text(encoding="utf-8").splitlines()
    values = np.array([[float(line.split()[-1]) for line in lines if not line.startswith("#")]])
    assert np.isnan(stats.without_blanks(values)).tolist() == [[False, False, True]]


def test_xid_codes_tell_hardware_from_program_and_teardown() -> None:
    codes = catalog().signals["gpu.xid"].codes
    assert codes[79] == SignalCode(role=Role.INITIATING, layer=Layer.GPU, causes=("gpu-off-bus",))
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


GROUP = """
[[group]]
unit = 'u'
family = 'f'
layer = 'gpu'
entity = 'gpu'
semantics = 'gauge'
bad = 'none'
signals = [
  {metric = 'one', meaning = 'm'},
  {metric = ['new', 'old'], meaning = 'm', name = 'a.two', watch = ['peers'], floor = 1.0},
  {metric = 'x_{a}_{b}', meaning = 'the {a} of {b}', each = {a = ['p', 'q'], b = {r = 'rain'}}},
]
"""


def test_a_line_of_a_group_is_a_signal_with_what_the_group_says(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(GROUP)
    known = load(folder=tmp_path)
    assert set(known.signals) == {"one", "a.two", "x_p_r", "x_q_r"}
    assert known.signals["one"].read is ReadSchedule.KNOWN
    assert known.signals["a.two"].read is ReadSchedule.ALWAYS
    assert [query.metric for query in known.signals["a.two"].queries] == ["new", "old"]
    assert known.signals["x_q_r"].meaning == "the q of rain"
    assert known.signals["x_q_r"].unit == "u"
    assert known.read(ReadSchedule.ALWAYS) == (known.signals["a.two"],)


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("'one', meaning = 'm'", "'one'"),
        ("metric = 'one'", "metrc = 'one'"),
        ("layer = 'gpu'", "layer = 'cpu'"),
        ("'one', meaning = 'm'", "'one', meaning = 'm', read = 'sometimes'"),
    ],
)
def test_a_wrong_line_of_a_group_is_refused_by_file(tmp_path: Path, was: str, becomes: str) -> None:
    (tmp_path / "x.toml").write_text(GROUP.replace(was, becomes, 1))
    with pytest.raises(CatalogError, match=r"x\.toml"):
        load(folder=tmp_path)


def test_a_wrong_beginning_of_names_is_refused_by_file(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("[subsystems]\nstarts = [{prefix = 'a_', layer = 'car'}]\n")
    with pytest.raises(CatalogError, match=r"x\.toml"):
        load(folder=tmp_path)


def test_a_signal_in_two_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(ENTRY)
    (tmp_path / "y.toml").write_text(ENTRY)
    with pytest.raises(CatalogError, match=r"a\.b is also in x\.toml"):
        load(folder=tmp_path)
