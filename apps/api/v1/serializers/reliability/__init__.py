"""Periods, reports, retries, offenders, stragglers and storage paths, as they are sent."""
