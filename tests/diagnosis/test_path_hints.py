"""A path or an address that is not there is answered with the one that was meant."""

from pathlib import Path

import pytest

from apps.telemetry.files.path_suggestions import address_meant, path_meant


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ("htp://127.0.0.1:9", "`http://127.0.0.1:9`"),
        ("htpps://prom.example/x", "`https://prom.example/x`"),
        ("http:/n1:9090", "`http://n1:9090`"),
        ("http//n1:9090", "`http://n1:9090`"),
        ("HTTP:n1:9090", "`http://n1:9090`"),
        ("htp://user:secret@n1:9090/a@b", "`http://n1:9090/a@b`"),
    ],
)
def test_a_slip_in_a_scheme_is_told(named: str, meant: str) -> None:
    words = address_meant(named=named)
    assert words.endswith(f"begins with http:// or https://; did you mean {meant}?")
    assert "secret" not in words


def test_another_scheme_is_none_and_a_path_is_no_address() -> None:
    assert address_meant(named="ftp4you://n1") == (
        "the address of a server begins with http:// or https://"
    )
    assert not any(address_meant(named=each) for each in ("metrics.csv", "C:/x", "a//b.csv"))


@pytest.mark.parametrize(
    ("missing", "meant"),
    [
        ("slurm-5101.out", "slurm-51004.out"),
        ("kernel.log", "logs/kernel.log"),
        ("kernle.log", "logs/kernel.log"),
        ("lgos/kernel.log", "logs/kernel.log"),
    ],
)
def test_a_file_is_found_beside_or_a_folder_below(tmp_path: Path, missing: str, meant: str) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "kernel.log").touch()
    (tmp_path / "slurm-51004.out").touch()

    assert path_meant(path=tmp_path / missing) == f"; did you mean `{tmp_path / meant}`?"


def test_nothing_is_proposed_where_several_folders_have_it(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kernel.log").touch()

    assert not path_meant(path=tmp_path / "kernel.log")
