"""What h11 reads headers from, with a bound on their lines: each costs a hundred times its bytes.

h11 bounds what is incomplete; what comes whole in one piece it takes apart, however long.
"""

from typing import Final

from h11 import LocalProtocolError
from h11._receivebuffer import ReceiveBuffer, blank_line_regex

HEADER_LINES: Final = 128  # with that of the request; folded ones count
HEADER_BYTES: Final = 32 * 2**10


class HeaderBuffer(ReceiveBuffer):
    """Hands out headers, and the trailers of a body in chunks, if there are few."""

    is_over = False

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """Return the lines up to the first empty one; raise where they are too many or too long."""
        if self._is_over():
            self.is_over = True
            raise LocalProtocolError("too many header lines", error_status_hint=431)
        return super().maybe_extract_lines()

    def _is_over(self) -> bool:
        # As far as they may reach, not as far as there is something: a body may follow.
        found = blank_line_regex.search(self._data, 0, HEADER_BYTES)
        end = found.end() if found else len(self._data)
        return end > HEADER_BYTES or self._data.count(b"\n", 0, end) > HEADER_LINES + 1
