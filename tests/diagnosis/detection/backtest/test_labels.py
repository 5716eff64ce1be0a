"""Lists of failures as people write them."""

import json
from datetime import UTC, datetime

import pytest

from apps.diagnosis.detection.backtest import Label, LabelError, read_labels

AT = datetime(2026, 3, 2, 1, tzinfo=UTC)
PLAIN = {"gpu": 1, "xid": 149, "type": "NVLink"}
ONE = Label(at=AT, host="gpu003", gpu=1, xid=149, kind="NVLink")


@pytest.mark.parametrize(
    "text",
    [
        "at,host,gpu,xid,kind\n2026-03-02T01:00:00Z,gpu003,1,149,NVLink\n",
        "\ufeffTimestamp;Node;GPU_index;XID;Type\n2026-03-02T01:00:00+00:00;gpu003.example.org;1;149;NVLink\n",
        "time\thostname\tgpu\tcode\tcause\n1772413200\tGPU003\tGPU1\tXid149\tNVLink\n",
        "when, instance, device, xid, kind\n1772413200000,gpu003:9100,1,149,NVLink\n",
        json.dumps([{**PLAIN, "at": "2026-03-02T01:00:00Z", "host": "gpu003"}]),
        json.dumps({"failures": [{**PLAIN, "at": 1772413200, "node": "gpu003"}]}),
        json.dumps({**PLAIN, "time": "2026-03-02T10:00:00+09:00", "host": "gpu003"}) + "\n",
    ],
)
def test_columns_by_the_names_people_use(text: str) -> None:
    assert read_labels(text=text, name="list") == (ONE,)


def test_times_without_a_zone_are_in_the_one_that_is_named() -> None:
    [label] = read_labels(text="at,host\n2026-03-02 10:00,gpu003\n", name="x", zone="Asia/Seoul")
    assert label.at == AT


def test_a_failure_may_name_no_host() -> None:
    [label] = read_labels(text="at,part,until\n1772413200,vast-1,1772416800\n", name="x")
    assert label.host is None
    assert label.part == "vast-1"
    assert label.title == "failure on vast-1"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no failures"),
        ("at,host\n", "no failures"),
        ("host,xid\ngpu003,79\n", "names no time"),
        ("at,host\nyesterday,gpu003\n", "row 2: 'yesterday' is no time"),
        ("at,host\n,gpu003\n", "row 2: it tells no time"),
        ("at,host,xid\n1772413200,gpu003,off\n", "row 2: 'off' is no Xid"),
        ("{broken", "not readable as JSON"),
        ("[1, 2]", "a list of objects"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text: str, says: str) -> None:
    with pytest.raises(LabelError, match=says):
        read_labels(text=text, name="list.csv")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("at,hots\n1772413200,n1\n", "no column `hots`; did you mean `host`"),
        ("at;nodde;xid\n1772413200;n1;79\n", "no column `nodde`; did you mean `node`"),
        ("timme,host\n1772413200,n1\n", "no column `timme`; did you mean `time`"),
        ("tmie,host\n1772413200,n1\n", "no column `tmie`; did you mean `time`"),
        ('[{"at": 1772413200, "Gpus": 1}]', "no column `Gpus`; did you mean `gpu`"),
        ('{"at": 1772413200, "hosst": "n1"}\n', "no column `hosst`; did you mean `host`"),
        ('[{"at": 1, "host": "n1"}, {"at": 2, "host": "n1", "xdi": 79}]', "did you mean `xid`"),
        ('{"failvres": [{"at": 1772413200}]}', "no key `failvres`; .* did you mean `failures`"),
    ],
)
def test_a_mistyped_column_is_refused_with_the_one_that_was_meant(text: str, meant: str) -> None:
    with pytest.raises(LabelError, match=meant):
        read_labels(text=text, name="list")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "at,host,hots,ticket\n1772413200,n1,n2,T-1\n",
            ["list: columns that are not read: hots, ticket"],
        ),
        (
            "at,host,pid,site,gpu_uuid\n1772413200,n1,4,x,y\n",
            [
                "list: the column `gpu_uuid` is not read; did you mean `gpu_id`?",
                "list: the column `pid` is not read; did you mean `xid`?",
                "list: the column `site` is not read; did you mean `since`?",
            ],
        ),
        ("at,host,note\n1772413200,n1,x\n", []),
    ],
)
def test_other_columns_are_told(text: str, told: list[str]) -> None:
    heard: list[str] = []
    read_labels(text=text, name="list", heard=heard.append)
    assert heard == told
