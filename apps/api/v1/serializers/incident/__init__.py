"""An incident and what belongs to it, as they are sent."""
