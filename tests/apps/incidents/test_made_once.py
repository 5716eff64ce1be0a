"""What is made once of a value that never changes."""

from apps.incidents.story_reading.made_once import MadeOnce


class Source:
    """Equal to all others, as two rows that say the same are."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


def test_of_one_object_it_is_made_once_a_way() -> None:
    kept, source = MadeOnce[Source, object](10), Source()

    first = kept.of(source, lambda _: object(), "one way")

    assert kept.of(source, lambda _: object(), "one way") is first
    assert kept.of(source, lambda _: object(), "another way") is not first


def test_of_an_equal_object_it_is_made_anew() -> None:
    kept = MadeOnce[Source, object](10)

    assert kept.of(Source(), lambda _: object()) is not kept.of(Source(), lambda _: object())


def test_no_more_than_so_many_are_kept() -> None:
    kept, sources = MadeOnce[Source, object](2), [Source() for _ in range(3)]
    first, *_ = [kept.of(each, lambda _: object()) for each in sources]

    assert kept.of(sources[0], lambda _: object()) is not first


def test_of_long_ones_fewer_are_kept() -> None:
    kept = MadeOnce[tuple[int, ...], tuple[int, ...]](5, len)
    first, second = (1, 2, 3), (4, 5, 6)
    made = kept.of(first, lambda _: (7,))
    kept.of(second, lambda _: (8,))

    assert kept.of(first, lambda _: (9,)) is not made


def test_what_is_made_long_of_nothing_weighs_what_it_holds() -> None:
    """As of a reader without moments of its own, who is shown thousands."""
    kept = MadeOnce[tuple[int, ...], tuple[int, ...]](5, len)
    made = kept.of((), lambda _: (1, 2, 3), "one way")
    kept.of((), lambda _: (4, 5, 6), "another way")

    assert kept.of((), lambda _: (7,), "one way") is not made


def test_nothing_made_of_nothing_is_not_kept_without_end() -> None:
    kept = MadeOnce[tuple[int, ...], tuple[int, ...]](5, len)
    for number in range(20):
        kept.of((), lambda _: (), number)

    assert len(kept._kept) <= 5
