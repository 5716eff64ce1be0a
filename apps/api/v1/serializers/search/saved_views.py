"""Kept views of lists, as they are sent and read."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fields import WordField
from apps.search.models import ListName
from apps.search.saved_views import ViewValue


class SavedViewSerializer(serializers.Serializer[ViewValue]):
    """A view of a list that one may open."""

    id = serializers.CharField(source="public_id")
    list = serializers.CharField(source="list_name", help_text="incidents, sessions or warnings.")
    name = serializers.CharField()
    query = serializers.CharField(help_text="What its page asks for behind the question mark.")
    shared = serializers.BooleanField(source="is_shared", help_text="Inside the organization.")
    own = serializers.BooleanField(source="is_own")
    default = serializers.BooleanField(source="is_default", help_text="The list opens with it.")
    owner = serializers.CharField(help_text="Who keeps it.")


class SavedViewEntrySerializer(serializers.Serializer[Any]):
    """A view to keep; one of the same list and name gets the new filter."""

    list = WordField(choices=ListName.values)
    name = serializers.CharField(max_length=80)
    query = serializers.CharField(max_length=1000, allow_blank=True, default="")
    shared = serializers.BooleanField(default=False)


class SavedViewChangeSerializer(serializers.Serializer[Any]):
    """What to change of a view of one's own, and whether the list opens with it."""

    name = serializers.CharField(max_length=80, required=False)
    shared = serializers.BooleanField(required=False)
    default = serializers.BooleanField(required=False)
