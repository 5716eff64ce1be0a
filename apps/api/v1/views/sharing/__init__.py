"""What parties show each other: agreements, requests and answers, bundles, the ledger."""
