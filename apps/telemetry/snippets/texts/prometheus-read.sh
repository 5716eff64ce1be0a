# What the portal asks of a Prometheus that it reads itself: try it from another network first.
# With 200 and "success", enter the address under Sources, Add a source.
PROMETHEUS=https://prometheus.example.com
curl --fail --silent --show-error "$PROMETHEUS/api/v1/status/buildinfo"
curl --fail --silent --show-error "$PROMETHEUS/api/v1/label/__name__/values?limit=5"
