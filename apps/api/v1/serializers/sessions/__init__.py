"""Sessions, their states, runs and recoveries, as they are sent."""
