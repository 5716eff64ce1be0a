"""What failures cost: time to a failure, goodput that adds up, lost GPU-hours, how often to save.

`expected_mttf`, `expected_ettr` and `best_interval_seconds` are the published formulas,
`simulated_ettr` and `simulated_best_interval` the same by chance; `measured_mttf` is of one's own
events (with `failures_per_1000_node_days`). `goodput` divides a time among its uses, for a
`productive_share` and an `ettr`; `weights` says who and what lost how many GPU-hours.
"""
