"""Values of a YAML text: what is read of them, and what is noted with its line and place."""

from collections.abc import Callable
from typing import Any

import pytest

from apps.operations.setup import bounds
from apps.operations.setup.parties import BadParties
from apps.operations.setup.yaml_nodes import YamlReader, one_of

Read = Callable[[YamlReader, Any], Any]


def told(text: str, read: Read) -> tuple[Any, list[str]]:
    """Return what is read of the value `x`, and the faults that are noted."""
    reader = YamlReader(text)
    found = read(reader, reader.mapping(reader.whole(), known=["x"]).get("x"))
    return found, [str(each) for each in reader.faults]


def refused(text: str) -> str:
    """Return why a text is refused as a whole."""
    with pytest.raises(BadParties) as refusal:
        YamlReader(text).whole()
    return str(refusal.value)


@pytest.mark.parametrize(
    ("text", "value", "fault"),
    [
        ("x: aurora", "aurora", ""),
        ("x: 2026-11-21", "2026-11-21", ""),
        ("x: 1.5", "1.5", ""),
        ("x: '  '", "", "this is empty"),
        ("x: ''", "", "this is empty"),
        ("x: yes", "", "yes is no text to YAML"),
        ("x: null", "", "null is no text to YAML"),
        ("x: [a]", "", "this must be one text, not a list"),
        ("x: {a: b}", "", "this must be one text, not names with values"),
        ("x: abcd", "abcd", ""),
        ("x: abcde", "abcde", ""),
        ("x: abcdefghijk", "", "one line of at most 10 characters"),
        ("x: abcdefghij", "abcdefghij", ""),
        ('x: "a\\tb"', "", "one line of at most 10 characters"),
        ("x:", "", "this is empty"),
    ],
)
def test_a_text_is_one_line_that_yaml_takes_for_a_text(text: str, value: str, fault: str) -> None:
    found, faults = told(text, lambda reader, spot: reader.text(spot, most=10))
    assert found == value
    assert [fault in each for each in faults] == ([True] if fault else [])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("x: 2", 2), ("x: 9", 9), ("x: '3'", 3), ("y: 3", None)),
        *((f"x: {wrong}", None) for wrong in ("1", "10", "-3", "2.5", "[3]", "٣", "", "0003", "a")),
    ],
)
def test_a_number_is_whole_and_within_its_bounds(text: str, value: int | None) -> None:
    found, faults = told(text, lambda reader, spot: reader.number(spot, least=2, most=9))
    assert found == value
    assert bool(faults) is (value is None)


@pytest.mark.parametrize(
    ("text", "value", "is_wrong"),
    [
        *((f"x: {word}", True, False) for word in ("true", "yes", "On")),
        *((f"x: {word}", False, False) for word in ("false", "no", "Off")),
        *((f"x: {word}", None, True) for word in ("'true'", "1", "[true]", "maybe")),
    ],
)
def test_a_flag_says_true_or_false(text: str, value: bool | None, *, is_wrong: bool) -> None:  # noqa: FBT001  a parameter of the table
    found, faults = told(text, lambda reader, spot: reader.flag(spot))
    assert (found, bool(faults)) == (value, is_wrong)


def test_what_is_left_out_is_nothing_and_no_fault() -> None:
    def read(reader: YamlReader, spot: Any) -> Any:
        number = reader.number(spot, least=0, most=1)
        return [reader.text(spot), number, reader.flag(spot), reader.items(spot)]

    assert told("{}", read) == (["", None, None, []], [])


def test_names_that_are_not_known_missing_or_there_twice_are_told_with_their_lines() -> None:
    reader = YamlReader("operator: a\noperators: b\noperator: c\n")
    found = reader.mapping(reader.whole(), known=["operator", "tenant"], needed=["tenant"])
    assert list(found) == ["operator"]
    assert [str(each) for each in reader.faults] == [
        "line 3, operator: it stands here twice",
        f"line 2, operators: unknown name {one_of('operators', ['operator', 'tenant'])}",
        "line 1: `tenant` is missing",
    ]


def test_a_merge_adds_names_and_is_none_twice() -> None:
    text = "<<: {x: 1}\n<<: {y: 2}\n"
    reader = YamlReader(text)
    assert sorted(reader.pairs(reader.whole())) == ["x", "y"]
    assert reader.faults == []


def test_a_name_is_one_word_and_places_say_where_a_value_stands() -> None:
    _, faults = told("x: {[a]: b}", lambda reader, spot: reader.pairs(spot))
    assert faults == ["line 1, x: a name must be one word"]
    _, deep = told(
        "x:\n  - a: [p, 7, null]\n",
        lambda reader, spot: [
            reader.text(each) for each in reader.items(reader.pairs(reader.items(spot)[0])["a"])
        ],
    )
    assert deep == ["line 2, x[0].a[2]: null is no text to YAML; write it in quotes"]


@pytest.mark.parametrize(
    ("read", "text", "fault"),
    [
        (lambda reader, spot: reader.items(spot), "x: a", "must be a list ([one, two])"),
        (lambda reader, spot: reader.pairs(spot), "x: [a]", "must be names with values"),
        (
            lambda reader, spot: reader.choice(spot, what="part", among=["tenant"]),
            "x: tenent",
            "unknown part 'tenent'; one of tenant; did you mean 'tenant'?",
        ),
        (lambda reader, spot: reader.checked(spot, lambda: int("a")), "x: a", "invalid literal"),
    ],
)
def test_a_value_of_another_kind_is_told(read: Read, text: str, fault: str) -> None:
    found, (told_fault,) = told(text, read)
    assert not found
    assert fault in told_fault


def test_a_choice_that_is_one_of_them_is_taken() -> None:
    def read(reader: YamlReader, spot: Any) -> str:
        return reader.choice(spot, what="part", among=["tenant"])

    assert told("x: tenant", read) == ("tenant", [])


def test_a_word_like_none_of_them_is_answered_with_all() -> None:
    assert one_of("zebra", ["operator", "tenant"]) == "'zebra'; one of operator, tenant"
    assert len(one_of("z" * 999, ["tenant"])) < 100


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the file says nothing"),
        ("# a remark", "the file says nothing"),
        ("x: \x01", "this is no text: character 0x1"),
        ("x: [a", "line 1: the YAML is broken or not whole here"),
        ("x:\n\ty: 1", "YAML takes no tabs"),
        ("x: &a [*a]", "this contains itself"),
        ("x: *a", "the YAML is broken"),
    ],
)
def test_what_is_no_description_is_refused_as_a_whole(text: str, why: str) -> None:
    assert why in refused(text)


def test_a_fault_of_other_kind_says_nothing_of_tabs() -> None:
    assert "tabs" not in refused("x: [a")
    assert "begun in line 1" in refused("x: [a,\n b")


def test_a_text_of_just_the_limit_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "TEXT_LIMIT", 6)
    YamlReader("x: abc").whole()
    with pytest.raises(BadParties, match="larger than 6 characters"):
        YamlReader("x: abcd")


@pytest.mark.parametrize(
    ("limit", "text"),
    [("DEPTH_LIMIT", "[[a]]"), ("WRITTEN_LIMIT", "[a, b]"), ("VALUES_LIMIT", "[a, b]")],
)
def test_as_much_as_a_limit_says_is_read_and_no_more(
    monkeypatch: pytest.MonkeyPatch, limit: str, text: str
) -> None:
    monkeypatch.setattr(bounds, limit, 3)
    YamlReader(text).whole()
    monkeypatch.setattr(bounds, limit, 2)
    assert refused(text)


def test_an_alias_counts_as_what_it_stands_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "VALUES_LIMIT", 7)
    YamlReader("[&a [b, c], *a]").whole()
    assert "with its aliases" in refused("[&a [b, c], *a, d]")
