"""The window of a pushed source: blocks of samples, read like a server, rolled on."""
