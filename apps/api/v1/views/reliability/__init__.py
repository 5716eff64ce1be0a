"""What failures cost: periods, reports, retries, offenders, stragglers, the storage path."""
