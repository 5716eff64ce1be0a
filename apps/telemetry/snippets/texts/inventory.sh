# Which hosts there are, their other names, and which project is whose.
curl --fail --show-error -H "Authorization: Bearer @{shell_token}" \
  -H 'Content-Type: application/json' --data-binary @@- '@{base}/api/v1/inventory' <<'END'
{
  "cluster": "@{cluster}",
  "nodes": [
    {"name": "gpu001", "aliases": ["gpu001.example.com", "10.0.0.1"]},
    {"name": "gpu002", "aliases": ["gpu002.example.com", "10.0.0.2"]}
  ],
  "projects": {"solar": "the-slug-of-its-tenant"}
}
END
