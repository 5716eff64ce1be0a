"""What NCCL dumps of itself: its health service, Inspector and the counters of its proxies."""
