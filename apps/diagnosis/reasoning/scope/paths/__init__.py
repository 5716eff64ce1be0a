"""Before the steps: of which host a log is, by its path.

Collectors call a folder (`folders`) or a file (`file_names`) by the host.
"""

from collections.abc import Sequence

from apps.diagnosis.model import Reading
from apps.diagnosis.reasoning.scope.paths import file_names, folders


def hosted(*, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings with the hosts that the paths of their sources name."""
    return file_names.hosted(readings=folders.hosted(readings=readings))
