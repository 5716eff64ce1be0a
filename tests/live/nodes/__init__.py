"""Real training runs over network namespaces as nodes, each broken in one way, and their logs.

Reading order: cluster (nodes and what is done to them), storage, kernel_log, stage (one run),
ways/ (how each run is broken, and what it was), recording.
"""
