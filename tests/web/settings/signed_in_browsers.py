"""Browsers of one person, signed in."""

from django.test import Client

from apps.tenancy.models import User


def signed_in(user: User) -> Client:
    """Return a browser of this person."""
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client
