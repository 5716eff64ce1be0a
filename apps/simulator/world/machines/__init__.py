"""The simulated machines: nodes, cables, what metrics are measured on, what each node is doing."""
