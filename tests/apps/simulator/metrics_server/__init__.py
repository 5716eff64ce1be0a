"""The simulated cluster's metrics, served as Prometheus serves them."""
