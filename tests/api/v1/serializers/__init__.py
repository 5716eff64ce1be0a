"""What views take and send, as plain values."""
