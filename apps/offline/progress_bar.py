"""A bar on a terminal that tells how much of a long input has been read."""

from typing import TextIO

# Shorter inputs are read before anybody wonders.
LEAST_BYTES = 32 * 2**20
WIDTH = 30
CLEAR = "\r\x1b[K"


class ProgressBar:
    """Draws on a terminal only; give `heard` to the reader and call `close` at the end."""

    def __init__(self, *, stream: TextIO) -> None:
        self._stream, self._is_shown, self._percent = stream, stream.isatty(), -1

    def heard(self, done: int, total: int) -> None:
        """Take note of how many bytes were read, of a total that is 0 where nobody knows it."""
        if not self._is_shown or max(done, total) < LEAST_BYTES:
            return
        step = 100 * done // total if total else done // LEAST_BYTES
        if step == self._percent:
            return
        self._percent = step
        self._stream.write(CLEAR + self._drawn(done, total))
        self._stream.flush()

    def close(self) -> None:
        """Leave the line as it was found."""
        if self._percent >= 0:
            self._stream.write(CLEAR)
            self._stream.flush()
            self._percent = -1

    def _drawn(self, done: int, total: int) -> str:
        if not total:
            return f"reading {_size(done)}"
        filled = min(WIDTH, WIDTH * done // total)
        bar = "█" * filled + "░" * (WIDTH - filled)
        return f"reading {bar} {self._percent:3d} %  {_size(done)} of {_size(total)}"


def _size(count: int) -> str:
    gigabytes = count / 1e9
    return f"{gigabytes:.1f} GB" if gigabytes >= 1 else f"{count / 1e6:.0f} MB"
