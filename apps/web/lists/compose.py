"""What an address asks a list for → what stands above it."""

from collections.abc import Sequence

from apps.search.saved_views import ViewValue
from apps.web.display.choices import SegmentLink
from apps.web.lists.fields import FieldKind, FilterField, ListAsk
from apps.web.lists.page import Chip, FieldChoice, FieldControl, ListControls, SortLink
from apps.web.lists.paging import Columns


def controls_of(
    *,
    list_name: str,
    ask: ListAsk,
    columns: Columns,
    usual: str,
    views: Sequence[ViewValue],
    view: ViewValue | None,
) -> ListControls:
    """Return the form, the chips, the heads of columns and the kept views of a list."""
    beside = [each for each in ask.fields if each.kind is FieldKind.SEGMENT]
    hidden = [(each.name, ask[each.name]) for each in beside if ask[each.name]]
    return ListControls(
        list_name=list_name,
        fields=tuple(_field(each, ask) for each in ask.fields if each not in beside),
        hidden=(*hidden, *([("sort", ask.sort)] if ask.sort else [])),
        chips=tuple(_chip(each, ask) for each in ask.fields if ask[each.name]),
        sorts={name: _sort(name, ask, usual) for name in columns},
        query=ask.query(),
        views=tuple(views),
        view=view,
        is_filtered=ask.is_filtered,
    )


def _field(field: FilterField, ask: ListAsk) -> FieldControl:
    value = ask[field.name]
    choices = (
        FieldChoice(value=each, text=text, is_on=each == value)
        for each, text in field.choices.items()
    )
    kind = "text" if field.kind is FieldKind.HOST else field.kind.value
    return FieldControl(
        name=field.name, label=field.label, kind=kind, value=value, choices=tuple(choices)
    )


def _chip(field: FilterField, ask: ListAsk) -> Chip:
    value = ask[field.name]
    rest = ask.query(**{field.name: ""}) or "view=all"
    return Chip(label=field.label, text=field.choices.get(value, value), query=f"?{rest}")


def _sort(name: str, ask: ListAsk, usual: str) -> SortLink:
    now = ask.sort or usual
    is_on = now.removeprefix("-") == name
    is_down = now.startswith("-")
    wanted = (name if is_down else f"-{name}") if is_on else name
    direction = ("descending" if is_down else "ascending") if is_on else ""
    return SortLink(query=f"?{ask.query(sort=wanted)}", direction=direction)


def segment_links(*, ask: ListAsk, field: FilterField, every: str) -> tuple[SegmentLink, ...]:
    """Return a link for each choice of a field, and one for all."""
    return tuple(
        SegmentLink(
            text=text,
            query=f"?{ask.query(**{field.name: value}) or 'view=all'}",
            is_on=value == ask[field.name],
        )
        for value, text in {"": every, **field.choices}.items()
    )
