"""One scenario as a folder, and the ledger of the truth."""

import json
from pathlib import Path

import pytest

from apps.simulator import offline
from apps.simulator.world import truth
from tests.apps.simulator.worlds import world


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write two scenarios of one seed."""
    directory = tmp_path_factory.mktemp("written")
    offline_world = offline.offline_world(seed=5)
    for name in ("python-exception", "nfs-queue"):
        offline.write_scenario(world=offline_world, name=name, directory=directory / name)
    return directory


def test_the_paths_tell_stream_host_and_rank(written: Path) -> None:
    manifest = json.loads((written / "python-exception" / "faultline.json").read_text())
    assert {each["stream"] for each in manifest} >= {"session", "kernel", "scheduler"}
    assert all((written / "python-exception" / each["path"]).is_file() for each in manifest)
    assert all(each["tz"] for each in manifest)


def test_the_truth_lies_beside(written: Path) -> None:
    told = json.loads((written / "python-exception" / "truth.json").read_text())
    assert told["layer"] == "software"
    assert told["cause"] == "rank-exception"
    assert told["culprits"][0]["host"] in told["hosts"]
    assert told["simulated"] is True


def test_a_shared_scenario_gets_a_folder_per_organization(written: Path) -> None:
    mine = json.loads((written / "nfs-queue" / "truth.json").read_text())
    theirs = json.loads((written / "nfs-queue-lumen" / "truth.json").read_text())
    assert (mine["organization"], theirs["organization"]) == ("northwind", "lumen")
    assert set(mine["hosts"]).isdisjoint(theirs["hosts"])


def test_a_seed_writes_the_same_bytes_twice(written: Path, tmp_path: Path) -> None:
    offline.write_scenario(
        world=offline.offline_world(seed=5), name="python-exception", directory=tmp_path / "again"
    )
    files = sorted(p for p in (tmp_path / "again").rglob("*") if p.is_file())
    twins = [written / "python-exception" / p.relative_to(tmp_path / "again") for p in files]
    assert [p.read_bytes() for p in files] == [p.read_bytes() for p in twins]


def test_an_unknown_scenario_is_refused_with_the_names(tmp_path: Path) -> None:
    with pytest.raises(offline.ScenarioUnknown, match="xid79-pcie"):
        offline.write_scenario(world=world(), name="earthquake", directory=tmp_path)


def test_the_ledger_has_a_line_per_scenario(tmp_path: Path) -> None:
    path = tmp_path / "simulator" / "truth.jsonl"
    truth.write(path=path, truths=[o.truth for o in world().outcomes.values()])
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(entries) == 13
    assert {"scenario", "kind", "session", "attempt", "organization", "layer", "cause"} <= set(
        entries[0]
    )
    by_name = {entry["scenario"]: entry for entry in entries}
    assert by_name["walltime"]["expect"]["incident"] is False
    assert by_name["no-evidence"]["expect"]["status"] == "unknown"
    assert by_name["nfs-queue"]["expect"]["parties"] == [
        "northwind",
        "keel",
        "aurora",
        "strata",
        "lumen",
    ]
    assert by_name["live"]["live"] is True
    assert by_name["live"]["survived"] is None
    survived = {"state": "degraded", "lost_gpus": 2, "alive_gpus": 14}
    assert by_name["replica-lost"]["survived"] == survived
    assert by_name["live"]["failed_at"].endswith("Z")


def test_the_operator_has_the_kernel_logs_of_all_nodes(tmp_path: Path) -> None:
    seen = offline.offline_world(seed=5)
    directory = tmp_path / "all"
    offline.write_scenario(
        world=seen, name="python-exception", directory=directory, all_kernels=True
    )
    nodes = {node.name for node in seen.plan.cluster.nodes} - {seen.plan.silent_host}
    assert {path.stem for path in (directory / "kernel").glob("*.log")} == nodes
