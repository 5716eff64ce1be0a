"""A scheduler's log tells of many jobs: which of its lines speak of this one."""
