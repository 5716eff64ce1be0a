"""An incident and what belongs to it: read, annotated, judged, exported; and warnings."""
