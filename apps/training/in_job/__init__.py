"""A job that loses GPUs and runs on. Reading order: events, adapters, invariant, lane, throughput.

`event_of_json` reads the contract; `torchft_run`, `stale_heartbeats`, `inprocess_event`,
`inprocess_losses`, `launcher_restarts`, `elastic_restarts` and `elastic_line` what torchft, NVRx
and TorchElastic tell. `violations_of` checks each step, `not_survived` each loss, `degraded_lane`
shows what is left, `run_efficiency` (`tokens_at` a budget, `tokens_per_gpu_hour`) and
`restart_counterfactual` say what it was worth, `trajectory_flags` guards the loss.

`fact_of_json` checks what is sent and kept, `in_job_run` puts facts of all sources together,
`job_report` says all of it of one attempt.
"""
