"""A view for people: what they manage and wish for themselves is no machine's business."""

from typing import Any

from rest_framework.request import Request

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.schema import PeopleSchema
from apps.tenancy.access import NotFound


class UserView(OrganizationView):
    """A view inside an organization for who is signed in, and for no token."""

    schema = PeopleSchema()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Open the scope of a person; for tokens there is nothing here."""
        super().initial(request, *args, **kwargs)
        if self.actor.user is None:
            raise NotFound
