"""Label texts → rows: looked up once, the same row ever after; several series of one row."""

import numpy as np
import orjson
import pytest

from apps.diagnosis.detection.metrics.describe import signal_for
from apps.diagnosis.detection.metrics.frames import Grid, frame_of
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Frame, Query
from apps.telemetry.metrics import series_index as rolls
from apps.telemetry.metrics.series_index import GridSheet, SeriesRoll, WantedSeries
from apps.telemetry.sources import answer_checks, matrix

GRID = Grid(start=1_790_000_010.0, step=30.0, count=3)
TEMPERATURE = catalog().signals["gpu.temperature"]
NAME = TEMPERATURE.queries[0].metric


def roll(*, is_mean: bool = False) -> SeriesRoll:
    """Return a roll of one signal of GPUs."""
    query = TEMPERATURE.queries[0]
    wanted = WantedSeries(signal=TEMPERATURE, query=query, is_mean=is_mean)
    return SeriesRoll(wanted=[wanted], label_map={}, aliases={"10.0.0.9": "gpu009"})


def answer(*series: tuple[dict[str, str], list[object]]) -> matrix.Matrix:
    """Return what a server says of series; None is no sample."""
    result = [
        {
            "metric": labels | {"__name__": NAME},
            "values": [
                [GRID.start + 30 * place, str(value)]
                for place, value in enumerate(values)
                if value is not None
            ],
        }
        for labels, values in series
    ]
    data = {"resultType": "matrix", "result": result}
    return matrix.read(orjson.dumps({"status": "success", "data": data}))


def only(made: SeriesRoll, *answers: matrix.Matrix) -> Frame:
    """Return the one frame of some answers."""
    sheet = GridSheet(roll=made, grid=GRID)
    for each in answers:
        sheet.put(channel=0, metrics=[NAME], answer=each)
    (frame,) = sheet.frames()
    return frame


def gpu(host: str, index: int) -> dict[str, str]:
    """Return the labels of a GPU."""
    return {"Hostname": host, "gpu": str(index), "UUID": f"GPU-{host}-{index}"}


def test_rows_are_those_of_the_slow_way() -> None:
    said = answer(
        (gpu("gpu001", 0), [60, None, 62]),
        (gpu("gpu001", 1), [50, 51, 52]),
        ({"nobody": "1"}, [1, 2, 3]),
        (gpu("10.0.0.9", 0), [70, 9223372036854775794, "+Inf"]),
    )
    frame = only(roll(), said)
    slow = frame_of(
        signal=TEMPERATURE,
        scale=1.0,
        series=said.series(),
        grid=GRID,
        spelling=catalog().labels["dcgm"],
        aliases={"10.0.0.9": "gpu009"},
    )
    order = [frame.entities.index(each) for each in slow.entities]
    np.testing.assert_array_equal(frame.values[order], slow.values)
    assert frame.details == ("",) * 3


def test_known_texts_are_not_read_again_and_keep_their_row(monkeypatch: pytest.MonkeyPatch) -> None:
    made = roll()
    first = only(made, answer((gpu("gpu001", 0), [1, 2, 3]), (gpu("gpu002", 0), [4, 5, 6])))
    with monkeypatch.context() as patch:
        patch.setattr(rolls, "labels_of", lambda _text: pytest.fail("read again"))
        again = only(made, answer((gpu("gpu002", 0), [7, 8, 9]), (gpu("gpu001", 0), [1, 2, 3])))
    assert again.entities is first.entities
    assert again.values.tolist() == [[1, 2, 3], [7, 8, 9]]
    grown = only(made, answer((gpu("gpu003", 0), [5, 5, 5])))
    assert grown.entities[:2] == first.entities
    assert np.isnan(grown.values[:2]).all()


def test_of_several_series_of_one_row_the_first_that_has_a_sample_counts() -> None:
    frame = only(
        roll(),
        answer(
            (gpu("gpu001", 0), [None, 2, None]), ({**gpu("gpu001", 0), "pod": "x"}, [7, 8, None])
        ),
        answer(({**gpu("gpu001", 0), "pod": "y"}, [9, 9, 9])),
    )
    assert frame.values.tolist() == [[7, 2, 9]]


def test_or_their_mean_where_nobody_knows_what_tells_them_apart() -> None:
    frame = only(
        roll(is_mean=True),
        answer(
            (gpu("gpu001", 0), [None, 2, None]), ({**gpu("gpu001", 0), "cpu": "1"}, [7, 8, None])
        ),
    )
    np.testing.assert_array_equal(frame.values, [[7, 5, np.nan]])


def test_doubled_samples_of_one_step_count_once() -> None:
    body = orjson.dumps(
        {
            "status": "success",
            "data": {
                "resultType": "matrix",
                "result": [
                    {
                        "metric": {"__name__": NAME, **gpu("gpu001", 0)},
                        # Collected every 30 s, scraped every 15 s.
                        "values": [[GRID.start - 15 + 15 * n, str(n // 2)] for n in range(6)],
                    }
                ],
            },
        }
    )
    assert only(roll(is_mean=True), matrix.read(body)).values.tolist() == [[0, 1, 2]]


def test_signals_that_share_a_name_are_asked_apart() -> None:
    other = signal_for("something_else")
    query = Query(metric=NAME)
    made = SeriesRoll(
        wanted=[
            WantedSeries(signal=TEMPERATURE, query=query),
            WantedSeries(signal=other, query=query),
            WantedSeries(signal=other, query=Query(metric="b", match={"l": "v"})),
        ],
        label_map={},
        aliases={},
    )
    assert [made.metrics(channel) for channel in range(3)] == [[NAME], [NAME], ["b"]]
    assert [dict(match) for match in made.matches] == [{}, {}, {"l": "v"}]


def test_labels_that_are_no_json_are_an_error() -> None:
    broken = matrix.Matrix(
        labels=[b'{"a":1"}'], edges=np.array([0, 1]), at=np.array([1.0]), values=np.array([1.0])
    )
    with pytest.raises(answer_checks.AnswerUnreadable):
        roll().rows(0, broken.labels)


def test_room_grows_with_the_rows_and_no_more() -> None:
    made = roll()
    sheet = GridSheet(roll=made, grid=GRID)
    for number in range(400):
        said = answer((gpu(f"gpu{number:03}", 0), [number, number, number]))
        sheet.put(channel=0, metrics=[NAME], answer=said)
    assert len(sheet._values) <= 500
    assert sheet.frames()[0].values[:, 0].tolist() == list(range(400))
