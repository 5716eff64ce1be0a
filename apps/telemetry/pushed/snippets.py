"""What a sender's configuration needs to send its metrics here, ready to be pasted."""

from urllib.parse import urlencode


def remote_write(*, base: str, cluster: str, token: str = "") -> str:
    """Return what Prometheus needs; without a token it reads one from a file.

    It drops what is answered 429 unless it is told otherwise. Bodies of 500 samples, its former
    default, cost four times the work of its present one.
    """
    credential = (
        f"credentials: {token}" if token else "credentials_file: /etc/prometheus/faultline.token"
    )
    return f"""\
remote_write:
  - url: {_url(base, "/api/v1/write", cluster)}
    authorization:
      {credential}
    queue_config:
      retry_on_http_429: true
      max_samples_per_send: 2000
"""


def collector(*, base: str, cluster: str, token: str = "") -> str:
    """Return what an OpenTelemetry Collector needs; without a token it reads the environment."""
    return f"""\
exporters:
  otlphttp/faultline:
    metrics_endpoint: {_url(base, "/v1/metrics", cluster)}
    headers:
      Authorization: Bearer {token or "${env:FAULTLINE_TOKEN}"}
processors:
  batch/faultline:
    send_batch_max_size: 8192
service:
  pipelines:
    metrics/faultline:
      receivers: [otlp]
      processors: [batch/faultline]
      exporters: [otlphttp/faultline]
"""


def _url(base: str, path: str, cluster: str) -> str:
    named = f"?{urlencode({'cluster': cluster})}" if cluster else ""
    return f"{base}{path}{named}"
