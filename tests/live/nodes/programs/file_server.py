"""A file server through FUSE: `file_server.py FOLDER MOUNTPOINT`; it reads and writes files.

    pip install fusepy

Killed, it leaves a mount whose end is not connected; stopped, one that answers nothing.
"""
# mypy: ignore-errors
# ruff: noqa: PTH102, PTH104, PTH108, PTH208  it answers by the calls that it is asked for

import os
import sys
from pathlib import Path

from fuse import FUSE, Operations


class Files(Operations):
    """A folder as it is."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def _at(self, path: str) -> str:
        return self.folder + path

    def getattr(self, path, fh=None):
        found = os.lstat(self._at(path))
        names = ("st_atime", "st_ctime", "st_gid", "st_mode", "st_mtime", "st_nlink", "st_size")
        return {name: getattr(found, name) for name in (*names, "st_uid")}

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self._at(path))]

    def open(self, path, flags):
        return os.open(self._at(path), flags)

    def create(self, path, mode, fi=None):
        return os.open(self._at(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(self._at(path), length)

    def release(self, path, fh):
        os.close(fh)

    def unlink(self, path):
        os.unlink(self._at(path))

    def rename(self, old, new):
        os.rename(self._at(old), self._at(new))

    def mkdir(self, path, mode):
        os.mkdir(self._at(path), mode)


if __name__ == "__main__":
    FUSE(Files(Path(sys.argv[1])), sys.argv[2], foreground=True, nothreads=True, allow_other=True)
