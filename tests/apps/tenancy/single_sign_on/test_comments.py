"""Comments in a provider's metadata say nothing, also where they don't end."""

import pytest

from apps.tenancy.single_sign_on.saml.metadata import read_metadata, without_comments
from apps.tenancy.single_sign_on.saml.strict_xml import Unreadable


def test_comments_say_nothing() -> None:
    assert without_comments(b"a<!-- <b> -->c<!---->d<!-- e") == b"acd<!-- e"


def test_a_comment_that_does_not_end_is_refused() -> None:
    with pytest.raises(Unreadable):
        read_metadata(data=b"<!--a" * 40_000)
