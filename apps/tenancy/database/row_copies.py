"""Rows as PostgreSQL copied them into JSON (`to_jsonb`), read back without asking the table."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db.models import BinaryField, Model

Row = TypeVar("Row", bound=Model)


def fields_of(*, model: type[Model], copy: Mapping[str, Any]) -> dict[str, Any]:
    """Return column → value of a copied row; what the copy lacks or JSON can't hold is left out."""
    return {
        field.attname: field.to_python(copy[field.attname])
        for field in model._meta.concrete_fields  # noqa: SLF001  public in all but name
        if field.attname in copy and not isinstance(field, BinaryField)
    }


def row_of(*, model: type[Row], copy: Mapping[str, Any]) -> Row:
    """Return a row as it was copied. It is for reading: nobody saves it."""
    return model(**fields_of(model=model, copy=copy))
