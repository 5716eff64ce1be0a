"""Fields of words: one to choose, refused with the nearest where it is none; a name to give; a
fact in words; and days.
"""

from datetime import date
from typing import Any, NoReturn

from rest_framework import serializers

from apps.diagnosis.input_values import FIRST_YEAR, LAST_YEAR
from apps.diagnosis.model import Statement, statement_of
from apps.diagnosis.spelling import meant, one_of, shown
from apps.wording import headline_in_english, in_english


class DayField(serializers.DateField):
    """A day of this century: of others no span of days can be counted."""

    def to_internal_value(self, value: Any) -> date:
        """Return the day; raise ValidationError."""
        day: date = super().to_internal_value(value)
        if not FIRST_YEAR <= day.year <= LAST_YEAR:
            raise serializers.ValidationError(
                f"write a day from {FIRST_YEAR} to {LAST_YEAR}, such as 2026-11-21", code="invalid"
            )
        return day


class NameField(serializers.CharField):
    """A name in one line, without escapes that the terminal of who lists it would obey."""

    def to_internal_value(self, data: Any) -> str:
        """Return the name; raise ValidationError."""
        name: str = super().to_internal_value(data)
        if not name.isprintable():
            raise serializers.ValidationError(
                "write it in one line, without control characters", code="invalid"
            )
        return name


class WordField(serializers.ChoiceField):
    """One of the words."""

    def fail(self, key: str, **kwargs: Any) -> NoReturn:
        """Raise ValidationError; of a word that is none of them, with the nearest."""
        if key != "invalid_choice":
            super().fail(key, **kwargs)
        known, word = [str(each) for each in self.choices if each], str(kwargs["input"])
        words = one_of(known=known) + meant(word=word, known=known)
        raise serializers.ValidationError(
            f"there is no `{shown(word=word)}` here; {words}", code=key
        )


class HeadlineField(serializers.CharField):
    """A fact that stands by itself, in English."""

    def get_attribute(self, instance: Any) -> str:
        """Return its words."""
        told: Any = super().get_attribute(instance)
        return headline_in_english(statement_of(told))


class StatementField(serializers.CharField):
    """A fact in English, empty where there is none."""

    def get_attribute(self, instance: Any) -> str:
        """Return its words."""
        told: Any = super().get_attribute(instance)
        if told is None:
            return ""
        return in_english(told if isinstance(told, Statement) else statement_of(told))
