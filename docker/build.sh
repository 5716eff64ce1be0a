#!/bin/sh
# Builds the image with the first of docker, podman and buildah that works here; CONTAINERS=podman
# chooses. What is given is handed on: `docker/build.sh --build-arg HTTPS_PROXY=…`.
set -eu
cd "$(dirname "$0")/.."

works() {
  case $1 in
    docker) docker info ;;
    podman) podman info ;;
    buildah) buildah info ;;
  esac >/dev/null 2>&1
}

for engine in ${CONTAINERS:-docker podman buildah}; do
  works "$engine" || continue
  echo "Building faultline with $engine"
  case $engine in
    buildah) exec buildah build --file docker/Dockerfile --tag faultline "$@" . ;;
    *) exec "$engine" build --file docker/Dockerfile --tag faultline "$@" . ;;
  esac
done
echo "No image was built: none of ${CONTAINERS:-docker, podman, buildah} works here." >&2
exit 1
