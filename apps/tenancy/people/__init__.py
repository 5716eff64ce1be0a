"""People: accounts, addresses, membership, invitations."""
