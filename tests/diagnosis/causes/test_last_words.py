"""What a line speaks of, where nothing knows its words: possible at most, and only by one layer."""

import pytest

from apps.diagnosis.causes.load import load_causes, load_subjects
from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Layer, Origin, Stream, Verdict, VerdictStatus
from apps.diagnosis.signatures.read import read_source


def verdict(*lines: str) -> Verdict:
    """Return what is said of lines that nothing else stands beside."""
    origin = Origin(source="log", stream=Stream.SESSION)
    return diagnose(readings=[read_source(origin=origin, text="\n".join(lines))]).verdict


@pytest.mark.parametrize(
    ("line", "layer"),
    [
        ("xfer: ibv_frobnicate on mlx5_2 was unexpected, giving up", Layer.NETWORK),
        ("engine: the RDMA context of the peer is invalid", Layer.NETWORK),
        ("plane: NVSwitch 3 unhealthy since boot", Layer.GPU),
        ("loader: the bucket of the run is missing its index", Layer.STORAGE),
        ("RuntimeError: lustre client in a wrong state for /pool", Layer.STORAGE),
        ("agent: cpuset of the pod is too small for 8 ranks", Layer.HOST),
        ("launcher: hostfile mismatch, 3 slots missing", Layer.SOFTWARE),
    ],
)
def test_a_failure_in_unknown_words_is_placed_by_what_it_speaks_of(line: str, layer: Layer) -> None:
    said = verdict(line)
    assert (said.status, said.layer) == (VerdictStatus.POSSIBLE, layer)


@pytest.mark.parametrize(
    "lines",
    [
        ("engine: the RDMA context is invalid", "plane: NVSwitch 3 unhealthy since boot"),
        ("something failed somewhere",),
        ("UserWarning: the hostfile is missing",),
        ("frame #3: c10d::Error from NVSwitch + 0x96",),
        ("ConnectionError: the RDMA peer is gone, connection closed",),
    ],
)
def test_two_layers_no_subject_a_warning_or_an_echo_say_nothing(lines: tuple[str, ...]) -> None:
    assert verdict(*lines).status is VerdictStatus.UNKNOWN


def test_a_line_that_is_known_silences_unknown_words() -> None:
    said = verdict(
        "engine: the RDMA context is invalid", "CUDA out of memory. Tried to allocate 2.00 GiB"
    )
    assert said.cause == "cuda-oom"


def test_every_subject_is_that_of_a_cause_which_weighs_it() -> None:
    weighed = {
        about
        for cause in load_causes().values()
        for one in cause.symptoms
        for about in one.where.get("about", ())
    }
    assert weighed == set(load_subjects())


def test_the_version_that_a_sentence_prints_is_no_subject() -> None:
    line = "ncclUnhandledCudaError: Call to CUDA function failed, NCCL version 2.21.5"
    assert verdict(line).status is VerdictStatus.UNKNOWN


@pytest.mark.parametrize(
    "lines",
    [
        ("    ECC Errors", "        Remapping Failure Occurred        : No"),
        ("RDMA errors: None", "nvlink failures = 0"),
        ("dcgm: no NVSwitch errors on any of 8 GPUs",),
    ],
)
def test_a_report_that_counts_nothing_tells_of_no_failure(lines: tuple[str, ...]) -> None:
    assert verdict(*lines).status is VerdictStatus.UNKNOWN


def test_what_a_report_does_count_is_told() -> None:
    assert verdict("nvlink failures = 3, NVSwitch unhealthy").layer is Layer.GPU
