"""The image: built, looked into, run. `make image-check`; minutes long, needs root and buildah."""
