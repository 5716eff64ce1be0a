"""Agreements, requests and answers, bundles and looks of the ledger, as they are sent."""
