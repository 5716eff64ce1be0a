"""Format strings are read off sources as a program would print them."""

from pathlib import Path

import pytest

from apps.diagnosis.signatures.match import default_matcher
from tests.score.format_strings.coverage import FormatString, format_strings, looked
from tests.score.format_strings.programs import programs

NCCL = r"""
#define WARN(...) ncclDebugLog(NCCL_LOG_WARN, __VA_ARGS__)
// WARN("not this one")
ncclResult_t openPath(const char* path) {
  if (fd < 0) {
    WARN("Error: failed to extend %s to %ld "
         "bytes, error: %s (%d)", path, size, strerror(errno), errno);
  }
  WARN("Plane %d is \"strange\": %" PRIx64, plane, value);
  WARN(message);
}
"""
C10D = """
void watch() {
  LOG(ERROR) << prefix() << "Could not look at the store: " << e.what();
  TORCH_CHECK(size > 0, "Group ", name, " has no members (", size, ")");
  TORCH_CHECK(size > 0);
}
"""
LAUNCHER = """
def start(port):
    if port < 0:
        raise ValueError(f"port {port} can't be used")
    logger.error("worker %s is gone", port)
    logger.info("all is well")
    raise
"""
KERNEL = r"""
static int look(struct device *dev)
{
	printk(KERN_ERR "NFS: server %s not understood\n", name);
	printk(KERN_INFO "NFS: server %s understood\n", name);
	return 0;
}
"""


def strings(folder: Path, key: str, file: str, source: str) -> list[FormatString]:
    path = folder / file
    path.parent.mkdir(parents=True)
    path.write_text(source)
    return list(format_strings(program=programs()[key], folder=folder))


def test_literals_are_joined_and_values_put_in(tmp_path: Path) -> None:
    found = strings(tmp_path, "nccl", "src/os/linux.cc", NCCL)
    assert [one.lines[0].partition("NCCL WARN ")[2] for one in found] == [
        "Error: failed to extend mlx5_0 to 17 bytes, error: mlx5_0 (17)",
        'Plane 17 is "strange": 1f',
    ]
    assert {one.function for one in found} == {"openPath"}


def test_what_the_signatures_know_is_told_from_what_they_only_take_for_a_failure(
    tmp_path: Path,
) -> None:
    found = strings(tmp_path, "nccl", "src/os/linux.cc", NCCL)
    extend, strange = looked(strings=found, matcher=default_matcher())
    assert (extend.signature, extend.is_known) == ("nccl-shm-extend-failed", True)
    assert not strange.is_known


def test_streams_and_parts_are_put_together(tmp_path: Path) -> None:
    found = strings(tmp_path, "c10d", "torch/csrc/distributed/c10d/Watch.cpp", C10D)
    assert [one.lines[0].partition("] ")[2] or one.lines[0] for one in found] == [
        "mlx5_0Could not look at the store: mlx5_0",
        "[rank3]: RuntimeError: Group mlx5_0 has no members (mlx5_0)",
    ]


def test_python_raises_and_logs(tmp_path: Path) -> None:
    found = strings(tmp_path, "torchrun", "torch/distributed/run.py", LAUNCHER)
    said = {one.lines[0] for one in found}
    assert "ValueError: port mlx5_0 can't be used" in said
    assert any(line.endswith("worker %s is gone") for line in said)
    assert len(found) == 2


def test_only_what_tells_of_an_error_counts(tmp_path: Path) -> None:
    found = strings(tmp_path, "nfs", "fs/nfs/client.c", KERNEL)
    assert [one.lines[0] for one in found] == ["kernel: NFS: server mlx5_0 not understood"]


@pytest.mark.parametrize("key", sorted(programs()))
def test_each_form_of_a_call_can_be_filled(key: str) -> None:
    for form in programs()[key].calls:
        assert form.line.format(file="f", function="g", exception="E", text="said").count("said")
