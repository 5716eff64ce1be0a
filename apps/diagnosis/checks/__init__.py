"""Rules by which a holder answers a question about its data: what they look for, what they say."""
