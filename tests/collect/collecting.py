"""A job that failed, collected: its programs, the tar and what is in it."""

import tarfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.collect.programs import Programs

LOG = """2026-11-20T03:10:00+0900 [rank0]: step 100 loss 2.1 token=hf_abcdefghijklmnopqrstuvwxyz
2026-11-20T03:14:30+0900 [rank8]: torch.distributed.DistBackendError: NCCL error: remote exited
"""


def programs_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str) -> Programs:
    made = Programs(folder=tmp_path / "bin", work=tmp_path, state=state)
    (tmp_path / "slurm 4711.out").write_text(LOG)
    monkeypatch.setenv("PATH", made.path)
    monkeypatch.chdir(tmp_path)
    return made


def collected(*arguments: str) -> tuple[Path, str]:
    """Return the tar, and what was said."""
    said = StringIO()
    call_command("collect", *arguments, stdout=said)
    (tar,) = Path().glob("*.tar.gz")
    return tar, said.getvalue()


def inside(tar: Path) -> dict[str, str]:
    """Return the files of a tar by name."""
    with tarfile.open(tar) as archive:
        return {
            one.name: (archive.extractfile(one) or StringIO()).read().decode()  # type: ignore[union-attr]
            for one in archive.getmembers()
        }
