"""A column is one of many names, which travel as one parameter: `IN` takes one for each of them."""

from collections.abc import Collection

from django.contrib.postgres.fields import ArrayField
from django.db.models import BooleanField, Func, TextField, Value


class _OneOf(Func):
    template = "(%(expressions)s))"
    arg_joiner = " = ANY("
    output_field = BooleanField()


def one_of(column: str, names: Collection[str]) -> Func:
    """Return a condition for `filter`: reading 20,000 parameters takes seconds, an array none."""
    return _OneOf(column, Value(list(names), output_field=ArrayField(TextField())))
