"""What is looked through, one module a kind: each opens its own door and returns hits."""
