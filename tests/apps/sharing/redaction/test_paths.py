"""Paths keep depth and ending; what all machines have stays readable."""
# ruff: noqa: E501  lines of logs keep their length

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sharing.redaction.kinds import Kind
from tests.apps.sharing.redaction.owner import PSEUDONYMS, read

FOLDER = st.text(alphabet="klmnqrtvw0123_", min_size=1, max_size=8).filter(
    lambda name: name.strip("0123_")
)


def p(name: str) -> str:
    return PSEUDONYMS.name(Kind.PATH, name)


def f(name: str) -> str:
    return PSEUDONYMS.file_name(name)


LUNAR = PSEUDONYMS.name(Kind.MODEL, "lunar-7b")


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/vol/x/ckpt/step-7.pt", f"/{p('vol')}/{p('x')}/{p('ckpt')}/{f('step-7.pt')}"),
        ("/vol/lunar-7b/ckpt", f"/{p('vol')}/{LUNAR}/{p('ckpt')}"),
        ("/home/minji/run", f"/{p('home')}/{PSEUDONYMS.name(Kind.USER, 'minji')}/{p('run')}"),
        ("/home/someone/run", f"/{p('home')}/{PSEUDONYMS.name(Kind.USER, 'someone')}/{p('run')}"),
        ("~/run/out.log", f"~/{p('run')}/{f('out.log')}"),
        ("ckpt/step-7.pt", f"{p('ckpt')}/{f('step-7.pt')}"),
        ("../run/train.py", f"../{p('run')}/{f('train.py')}"),
        ("/dev/shm/moon-1", f"/dev/shm/{p('moon-1')}"),  # noqa: S108
        ("/dev/nvidia0", "/dev/nvidia0"),
        ("/sys/class/infiniband/mlx5_0/ports/1", "/sys/class/infiniband/mlx5_0/ports/1"),
        ("/proc/self/status", "/proc/self/status"),
        (
            "/home/minji/venv/lib/python3.11/site-packages/torch/distributed/run.py",
            f"/{p('home')}/{PSEUDONYMS.name(Kind.USER, 'minji')}/{p('venv')}/{p('lib')}/{p('python3.11')}/site-packages/torch/distributed/run.py",
        ),
        (
            "/w/site-packages/moonbase/net.py",
            f"/{p('w')}/{p('site-packages')}/{p('moonbase')}/{f('net.py')}",
        ),
        (
            "../torch/csrc/distributed/c10d/NCCLUtils.cpp",
            "../torch/csrc/distributed/c10d/NCCLUtils.cpp",
        ),
        ("/opt/x/libnccl.so.2", f"/{p('opt')}/{p('x')}/libnccl.so.2"),
    ],
)
def test_a_path_is_hidden_part_by_part(path: str, told: str) -> None:
    assert read(path) == told
    assert read(f'File "{path}", line 3') == f'File "{told}", line 3'
    assert read(f"open({path}): failed, code=7") == f"open({told}): failed, code=7"


@pytest.mark.parametrize(
    "line",
    [
        "NET/IB : Using [0]mlx5_0:1/IB",
        "iteration 1200/ 50000",
        "51234 tokens/s and/or I/O",
        "[ 5/10] at 11/20",
        "TFLOP/s/GPU",
        "cpuset=/,mems_allowed=0",
    ],
)
def test_what_only_holds_a_slash_is_no_path(line: str) -> None:
    assert read(line) == line


@given(
    st.lists(FOLDER, min_size=1, max_size=6), st.sampled_from(["", ".pt", ".json", ".safetensors"])
)
def test_depth_and_ending_stay(folders: list[str], ending: str) -> None:
    path = "/" + "/".join(folders) + ending
    told = read(f"saved to {path} in 3 s")
    assert told.count("/") == len(folders)
    assert re.search(rf"{re.escape(ending)} in 3 s$", told)
    assert not any(re.search(rf"/{re.escape(each)}(/|\.| )", told) for each in folders)


def test_one_folder_is_one_name_in_paths_of_hosts_stores_and_urls() -> None:
    for text in (
        "filer-a:/export/deep/x.pt",
        "s3://bucket/deep/x.pt",
        "https://h.example/deep/x.pt",
        "/deep/x.pt",
    ):
        assert f"/{p('deep')}/{f('x.pt')}" in read(text)
