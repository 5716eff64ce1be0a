"""Views of lists that a person keeps."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.queries import read_body
from apps.api.v1.schema import answers, lists, writes
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.search.saved_views import (
    SavedViewChangeSerializer,
    SavedViewEntrySerializer,
    SavedViewSerializer,
)
from apps.api.v1.user_view import UserView
from apps.search import saved_views
from apps.search.models import ListName
from apps.search.saved_views import (
    TooManyViews,
    ViewEntry,
    ViewNameMissing,
    ViewNameTaken,
    ViewTooLong,
)


class SavedViews(UserView):
    """The views that who asks may open."""

    @lists(SavedViewSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, one's own first. Signed-in members only."""
        found = saved_views.views_of(actor=self.actor)
        page = page_of_items(items=found, request=request)
        return Response(page.answer(sent(SavedViewSerializer, page.results)))

    # No Idempotency-Key: the same again changes nothing.
    @writes(SavedViewEntrySerializer, SavedViewSerializer, operation="saved_view_keep", status=201)
    def post(self, request: Request, organization: str) -> Response:
        """Keep one; of the same list and name it gets the new filter. Signed-in members only."""
        said = read_body(SavedViewEntrySerializer, request=request)
        entry = ViewEntry(
            list_name=ListName(said["list"]),
            name=said["name"],
            query=said["query"],
            is_shared=said["shared"],
        )
        try:
            view = saved_views.save_view(actor=self.actor, entry=entry, now=timezone.now())
        except ViewNameMissing as error:
            raise ValidationError({"name": "from 1 to 80 letters"}) from error
        except ViewTooLong as error:
            told = "written as an address it is over 1000 letters"
            raise ValidationError({"query": told}) from error
        except TooManyViews as error:
            raise ValidationError({"": "a person keeps at most 100; delete one"}) from error
        return Response(SavedViewSerializer(view).data, status=201)


class SavedViewDetail(UserView):
    """One view that who asks may open."""

    @extend_schema(responses=answers(SavedViewSerializer), operation_id="saved_view")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return it. Signed-in members only."""
        view = saved_views.open_view(actor=self.actor, public_id=public_id)
        return Response(SavedViewSerializer(view).data)

    @writes(SavedViewChangeSerializer, SavedViewSerializer, operation="saved_view_change")
    def patch(self, request: Request, organization: str, public_id: str) -> Response:
        """Rename or share one's own, or let the list open with it. Signed-in members only."""
        said = read_body(SavedViewChangeSerializer, request=request)
        view = saved_views.open_view(actor=self.actor, public_id=public_id)
        if "name" in said or "shared" in said:
            self._change(public_id, said.get("name"), said.get("shared"))
        if said.get("default", view.is_default) != view.is_default:
            chosen = public_id if said["default"] else None
            saved_views.set_default(actor=self.actor, list_name=view.list_name, public_id=chosen)
        changed = saved_views.open_view(actor=self.actor, public_id=public_id)
        return Response(SavedViewSerializer(changed).data)

    def _change(self, public_id: str, name: str | None, is_shared: bool | None) -> None:  # noqa: FBT001  as it is read
        try:
            saved_views.change_view(
                actor=self.actor, public_id=public_id, name=name, is_shared=is_shared
            )
        except ViewNameTaken as error:
            raise ValidationError({"name": "you have another view of that name"}) from error
        except ViewNameMissing as error:
            raise ValidationError({"name": "from 1 to 80 letters"}) from error

    @extend_schema(responses=answers(None, status=204), operation_id="saved_view_delete")
    def delete(self, request: Request, organization: str, public_id: str) -> Response:
        """Delete one's own, for all with whom it is shared. Signed-in members only."""
        saved_views.delete_view(actor=self.actor, public_id=public_id)
        return Response(status=204)
