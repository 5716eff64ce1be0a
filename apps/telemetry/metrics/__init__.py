"""Metrics sources: pulled on time, their series named, watched by detectors."""
