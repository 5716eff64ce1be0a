"""Reports: issuing them, reading one as it was issued, and when they come by themselves."""
