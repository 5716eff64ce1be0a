"""An incident and what belongs to it, and warnings, as they are sent."""
