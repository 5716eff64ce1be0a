"""The bar of a long input: on terminals, a line per step, and nothing left behind."""

import io

import pytest

from apps.offline.progress_bar import CLEAR, LEAST_BYTES, ProgressBar


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def test_a_long_input_is_told_step_by_step_and_the_line_is_cleared() -> None:
    stream = Terminal()
    bar = ProgressBar(stream=stream)
    for done in range(0, 2_000_000_001, 10_000_000):
        bar.heard(done, 2_000_000_000)
    bar.close()
    drawn = stream.getvalue().split(CLEAR)[1:]
    assert len(drawn) == 102  # 0 to 100 %, and the clearing
    assert "50 %  1.0 GB of 2.0 GB" in drawn[50]
    assert drawn[-1] == ""


@pytest.mark.parametrize(
    ("stream", "total"), [(io.StringIO(), 2_000_000_000), (Terminal(), LEAST_BYTES - 1)]
)
def test_pipes_and_short_inputs_see_nothing(stream: io.StringIO, total: int) -> None:
    bar = ProgressBar(stream=stream)
    bar.heard(total // 2, total)
    bar.close()
    assert stream.getvalue() == ""


def test_an_input_of_unknown_length_tells_what_was_read() -> None:
    stream = Terminal()
    bar = ProgressBar(stream=stream)
    bar.heard(4 * LEAST_BYTES, 0)
    assert "reading 134 MB" in stream.getvalue()
