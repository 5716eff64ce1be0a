"""What slow members cost a job. Reading order: step_trace, dependencies, what_if, verdict.

From operations of steps to `what_if` and `verdict_on`; of many jobs `fleet_table`.
"""
