"""A field of words to choose from: another one is refused with those there are, and the nearest."""

from typing import Any, NoReturn

from rest_framework import serializers

from apps.diagnosis.spelling import meant, one_of, shown


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
