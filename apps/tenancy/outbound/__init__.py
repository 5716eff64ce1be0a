"""What the portal may reach, and requests that go nowhere else."""
