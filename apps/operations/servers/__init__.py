"""The processes of an installation: database, queue, web and workers, watched together."""
