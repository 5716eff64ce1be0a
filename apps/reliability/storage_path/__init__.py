"""A cluster's saves and loads: logs joined with metrics, what each cost, where requests waited."""
