"""States of migrations in which a changed model alone is made anew, not all that hang together.

Django makes all models that a changed one reaches by foreign keys, which is nearly all of ours:
nine tenths of what migrations take. The tables are the same (tests/contracts/test_quick_states.py);
portals that tests start migrate as people's do.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db.migrations.state import ProjectState


@contextmanager
def quick_states() -> Iterator[None]:
    """Migrate so while the block lasts; steps in Python still get all models as they then are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProjectState, "_find_reload_model", _itself)
        yield


def _itself(
    state: ProjectState,
    app_label: str,
    model_name: str,
    delay: bool = False,  # noqa: FBT001, FBT002  Django's own signature
) -> set[tuple[str, str]]:
    state.is_delayed = True  # what RunPython looks at before it makes all anew
    return {(app_label, model_name)}
