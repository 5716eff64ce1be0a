"""Traces of other programs as step traces: Chrome and Kineto, NCCL Inspector."""
