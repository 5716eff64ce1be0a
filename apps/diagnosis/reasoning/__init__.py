"""From events and anomalies to a verdict, step by step; each step stands alone."""
