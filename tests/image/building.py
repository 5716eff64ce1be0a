"""Build the image where no registry may be reached, and run things in it without a daemon.

buildah's isolation `chroot` needs no more than root. It sets user, variables and mounts as a
container has them; it takes no rights away and closes no file system.
"""

import configparser
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
BASE = "docker.io/library/python:3.11-slim-bookworm"
IMAGE = "localhost/faultline:latest"
PIP_FILES = ("/etc/pip.conf", "~/.config/pip/pip.conf", "~/.pip/pip.conf")


def why_not() -> str:
    """Return why no image can be built here, or nothing."""
    if os.geteuid() != 0:
        return "needs root: run it as root"
    missing = [name for name in ("buildah", "unshare") if shutil.which(name) is None]
    return f"no {', '.join(missing)} here (Debian: apt-get install buildah)" if missing else ""


def buildah(*arguments: str | Path, seconds: float = 60) -> str:
    """Run buildah and return what it printed; fail with what it complained of."""
    done = subprocess.run(  # noqa: S603  our own arguments
        [str(shutil.which("buildah")), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout.strip()


def has_base(folder: Path) -> bool:
    """Whether the image that ours begins with is here, pulled or made of Debian's packages."""
    if has_image(BASE) or _pulled():
        return True
    if shutil.which("debootstrap") is None:
        return False
    _make_base(folder)
    return True


def has_image(name: str) -> bool:
    """Whether an image is kept here."""
    asked = [str(shutil.which("buildah")), "images", "--quiet", name]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0  # noqa: S603


def build() -> None:
    """Build the image as `make image` does, with this machine's way to the packages."""
    subprocess.run(  # noqa: S603  our own script
        [ROOT / "docker" / "build.sh", "--isolation", "chroot", "--pull=never", *_packages()],
        env=os.environ | {"CONTAINERS": "buildah"},
        check=True,
        timeout=1200,
    )


def inside(
    container: str,
    *command: str,
    variables: Mapping[str, str] | None = None,
    mounts: Mapping[Path, str] | None = None,
) -> list[str]:
    """Return the command line that runs a command in a container, in this network."""
    told = [f"--env={name}={value}" for name, value in (variables or {}).items()]
    seen = [f"--volume={path}:{place}:ro" for path, place in (mounts or {}).items()]
    return [
        *(str(shutil.which("buildah")), "run", "--isolation", "chroot", *told, *seen),
        *(container, "--", *command),
    ]


def _pulled() -> bool:
    asked: Sequence[str] = [str(shutil.which("buildah")), "pull", "--quiet", BASE]
    try:
        return subprocess.run(asked, capture_output=True, check=False, timeout=60).returncode == 0  # noqa: S603
    except subprocess.TimeoutExpired:
        return False


def _make_base(folder: Path) -> None:
    packages = "python3,python3-venv,ca-certificates"
    subprocess.run(  # noqa: S603  our own arguments
        [
            *(str(shutil.which("debootstrap")), "--variant=minbase", f"--include={packages}"),
            *("bookworm", folder / "base"),
        ],
        check=True,
        capture_output=True,
        timeout=900,
    )
    (folder / "base" / "usr/local/bin/python").symlink_to("/usr/bin/python3")
    container = buildah("from", "scratch")
    buildah("add", container, folder / "base", "/", seconds=300)
    buildah("commit", container, BASE, seconds=300)
    buildah("rm", container)


def _packages() -> list[str]:
    """Return mounts of pip's configuration and of the folders that it names."""
    mounts: list[str] = []
    for file in (Path(each).expanduser() for each in PIP_FILES):
        if not file.is_file():
            continue
        mounts.append(f"--volume={file}:/etc/pip.conf:ro")
        read = configparser.RawConfigParser()
        read.read(file)
        words = [
            word
            for part in read.sections()
            for _, value in read[part].items()
            for word in value.split()
        ]
        folders = {Path(word.removeprefix("file://")) for word in words if "/" in word}
        mounts += [
            f"--volume={_top(each)}:{_top(each)}:ro" for each in sorted(folders) if each.exists()
        ]
    return list(dict.fromkeys(mounts))


def _top(path: Path) -> Path:
    """Return a folder that holds what an index or a bundle refers to beside it."""
    return path.parent if path.name == "simple" or path.is_file() else path
