"""What the parties say of verdicts, and how right those were."""
