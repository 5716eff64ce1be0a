"""Range answers → numpy: whatever a server writes, what a JSON parser and `float()` make of it."""

from collections.abc import Sequence

import numpy as np
import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from apps.telemetry.sources import answer_checks, float_parser, matrix

Pairs = Sequence[tuple[float, str]]

LABEL = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
HEAD = b'{"status":"success","data":{"resultType":"matrix","result":['
ODD = 'a]]}},"values":[[1,"2"]] {"metric":{ \\" \n'


def written(value: float) -> str:
    """Return a value as Prometheus writes it."""
    if np.isnan(value):
        return "NaN"
    return ("+Inf" if value > 0 else "-Inf") if np.isinf(value) else repr(value)


NUMBER = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True).map(written),
    st.integers(min_value=-(2**70), max_value=2**70).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=9).map(lambda each: f"{each:f}"),
    st.from_regex(r"-?[0-9]{1,21}(\.[0-9]{1,21})?(e[+-][0-9]{1,3})?", fullmatch=True),
    st.sampled_from(["-0", "0.0", "-0.0", "9223372036854775794", "18446744073709551616", "1e-07"]),
)
SECOND = st.one_of(
    st.integers(0, 2**31), st.integers(0, 2**41).map(lambda milliseconds: milliseconds / 1000)
)
SERIES = st.lists(
    st.tuples(
        st.dictionaries(LABEL, LABEL, max_size=4),
        st.lists(st.tuples(SECOND, NUMBER), min_size=1, max_size=5),
    ),
    max_size=5,
)


def body_of(series: Sequence[tuple[dict[str, str], Pairs]]) -> bytes:
    """Return an answer as compact as the real server's."""
    result = [{"metric": labels, "values": pairs} for labels, pairs in series]
    data = {"resultType": "matrix", "result": result}
    return orjson.dumps({"status": "success", "data": data})


def same(one: matrix.Matrix, other: matrix.Matrix) -> None:
    """Compare two answers bit for bit; every NaN is the same NaN."""
    assert [orjson.loads(text) for text in one.labels] == [
        orjson.loads(text) for text in other.labels
    ]
    assert one.edges.tolist() == other.edges.tolist()
    assert one.at.tobytes() == other.at.tobytes()
    assert one.values.tobytes() == other.values.tobytes()


@settings(max_examples=150)
@given(SERIES)
@example([({"l": ODD}, [(1, "2")]), ({}, [(1, "3")]), ({"metric": "values"}, [(1.5, "NaN")])])
@example([({"a": "b"}, [(1_790_000_000, "1"), (1_790_000_030, "-0"), (1_790_000_060, "9" * 19)])])
def test_quick_way_reads_what_a_json_parser_reads(
    series: list[tuple[dict[str, str], Pairs]],
) -> None:
    body = body_of(series)
    same(matrix._scan(body), matrix._decode(body))


@given(st.lists(NUMBER, min_size=1, max_size=40))
@example(["0.1", "123456789.123456789", "9007199254740993", "0.000000000000000001"])
# Halfway between two floats, and a hair beside it.
@example(["9007199254740993.0", "1.00000000000000011102", "1.0000000000000001110", "4503599627.5"])
def test_numbers_are_bit_for_bit_what_float_gives(numbers: list[str]) -> None:
    text, starts, dots, ends = " " * float_parser.MARGIN, [], [], []
    for number in numbers:
        starts.append(len(text))
        text += number
        ends.append(len(text))
        dots.append(starts[-1] + number.find(".") if "." in number else len(text))
        text += ","
    found = float_parser.floats(
        text=text.encode(),
        starts_at=np.array(starts),
        dots_at=np.array(dots),
        ends_at=np.array(ends),
    )
    expected = np.array([float(number) for number in numbers])
    assert found.tobytes() == expected.tobytes()


def test_many_random_floats_survive_the_round_trip() -> None:
    random = np.random.default_rng(1)
    bits = random.integers(0, 2**63, size=4000, dtype=np.uint64).view(np.float64)
    plain = random.random(4000) * 10.0 ** random.integers(-6, 16, size=4000)
    values = np.concatenate((bits[np.isfinite(bits)], plain, -plain))
    pairs = [(1_790_000_000 + place, written(value)) for place, value in enumerate(values.tolist())]
    read = matrix._scan(body_of([({"a": "b"}, pairs)]))
    assert read.values.tobytes() == values.tobytes()
    assert read.at.tolist() == [at for at, _ in pairs]


def test_answers_of_many_blocks_keep_each_sample_with_its_series() -> None:
    counts = [1, 7000, 3, 12_000, 1, 9000]
    series = [
        ({"n": str(place)}, [(at, f"{place}.{at}") for at in range(count)])
        for place, count in enumerate(counts)
    ]
    assert len(body_of(series)) > matrix.BLOCK_BYTES
    read = matrix._scan(body_of(series))
    assert np.diff(read.edges).tolist() == counts
    for place, each in enumerate(read.series()):
        assert each.labels == {"n": str(place)}
        assert set(np.floor(each.values).tolist()) == {float(place)}
        assert each.at.tolist() == list(range(counts[place]))


def test_every_place_where_an_answer_can_be_cut_is_an_error() -> None:
    body = body_of([({"l": ODD}, [(1, "2"), (2, "3")]), ({"m": "n"}, [(1, "4"), (2, "5")])])
    for length in range(len(body)):
        with pytest.raises(answer_checks.AnswerUnreadable):
            matrix.read(body[:length])


def test_every_byte_that_is_missing_is_an_error_or_changes_no_number_of_series() -> None:
    body = body_of([({"l": "x"}, [(1, "2"), (2, "3")]), ({"m": "n"}, [(1, "4"), (2, "5")])])
    for place in range(len(body)):
        holed = body[:place] + body[place + 1 :]
        try:
            slow = matrix._decode(holed)
        except answer_checks.AnswerUnreadable:
            # Only a number may be read from what a strict parser refuses: "1" without its "2".
            with pytest.raises((ValueError, answer_checks.AnswerUnreadable)):
                matrix.read(holed).series()
        else:
            same(matrix.read(holed), slow)


def test_native_histograms_are_left_out_and_their_neighbours_are_read() -> None:
    histogram = (
        b'{"metric":{"h":"1"},"histograms":'
        b'[[1,{"count":"1","sum":"2","buckets":[[0,"0","1","1"]]}]]}'
    )
    plain = b'{"metric":{"p":"1"},"values":[[1,"5"]]}'
    both = histogram.replace(b'"histograms"', b'"values":[[1,"6"]],"histograms"')
    for series in ([histogram, plain, both, plain], [plain, both], [plain, histogram]):
        body = HEAD + b",".join(series) + b']},"warnings":["partial"]}'
        read = matrix.read(body)
        expected = [{histogram: [], plain: [5.0], both: [6.0]}[each] for each in series]
        assert read.values.tolist() == [value for values in expected for value in values]
        assert read.edges.tolist() == list(range(len(read.values) + 1))
        assert read.warning == "partial"


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        # As VictoriaMetrics, Mimir and Thanos write around the same series.
        (
            b'{"status":"success","isPartial":false,"data":{"resultType":"matrix","result":[',
            b']},"stats":{"seriesFetched": "2","executionTimeMsec":1}}',
        ),
        (HEAD, b']},"infos":[]}\n'),
        (b'{ "status": "success",\n"data": { "resultType": "matrix", "result": [', b"] } }"),
        (b'{"data":{"resultType":"matrix","result":[', b']},"status":"success"}'),
    ],
)
def test_other_servers_and_spacings_are_read_alike(head: bytes, tail: bytes) -> None:
    compact = b'{"metric":{"p":"1"},"values":[[1,"5"],[2,"6"]]}'
    spaced = b'{ "metric": { "p": "1" }, "values": [ [ 1, "5" ], [ 2, "6" ] ] }'
    for series in (compact, spaced):
        read = matrix.read(head + series + b"," + series + tail)
        assert [each.labels for each in read.series()] == [{"p": "1"}] * 2
        assert (read.at.tolist(), read.values.tolist()) == ([1, 2, 1, 2], [5, 6, 5, 6])


@pytest.mark.parametrize(
    ("beside", "warning"),
    [
        (b"", ""),
        (b',"warnings":[]', ""),
        (b',"warnings":["store \\"a]\\" is down","b"]', 'store "a]" is down'),
        (b',"isPartial":true', "it says that its answer is partial"),
        (b',"infos":["PromQL info: metric might not be a counter"]', ""),
    ],
)
def test_what_a_federated_server_lacks_is_noticed(beside: bytes, warning: str) -> None:
    for series in (b"", b'{"metric":{"p":"1"},"values":[[1,"5"]]}'):
        assert matrix.read(HEAD + series + b"]}" + beside + b"}").warning == warning


@pytest.mark.parametrize(
    "series",
    [
        b'{"metric":{"p":"1"},"values":[[1,"five"]]}',
        b'{"metric":{"p":"1"},"values":[[1,""]]}',
        b'{"metric":{"p":"1"},"values":[["x","1"]]}',
        b'{"metric":{"p":"1"},"values":[[]]}',
        b'{"metric":{"p":"1"},"values":[[1]]}',
        b'{"metric":{"p":"1"},"values":7}',
        b'{"metric":1,"values":[[1,"2"]]}',
        b'{"values":[[1,"2"]]}',
        b'{"metric":{"p":1"},"values":[[1,"5"]]}',
    ],
)
def test_series_of_another_shape_are_an_error(series: bytes) -> None:
    plain = b'{"metric":{"p":"1"},"values":[[1,"5"]]}'
    for body in (series, plain + b"," + series, series + b"," + plain):
        with pytest.raises(answer_checks.AnswerUnreadable):
            matrix.read(HEAD + body + b"]}}").series()


@given(st.binary(max_size=300))
def test_garbage_is_named_and_never_crashes(garbage: bytes) -> None:
    for body in (garbage, HEAD + garbage):
        with pytest.raises((answer_checks.AnswerUnreadable, answer_checks.QueryRefused)):
            matrix.read(body)
