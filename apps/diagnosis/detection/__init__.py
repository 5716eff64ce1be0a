"""What is unusual in metrics: frames, detectors, what is usual, and what findings say together."""
