"""What was started again after a stop: chains, whether it helped, and where the time went.

What a retry is stands in `lineages`, what a chain is in `retry_chains`. `retry_rates` counts over
chains (which `is_significant`), `crash_loop` and `chain_advice` speak of one lineage.

`recoveries` divides the time from a failure to the next step (`by_stage`), out of marks such as
`nvrx_marks` reads. `recovery_change` compares the `recovery_seconds` of two sets of them and says
whether it `is_clear`.
"""
