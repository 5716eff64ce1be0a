"""An incident as another party would read it, out of what the viewer reads itself."""
