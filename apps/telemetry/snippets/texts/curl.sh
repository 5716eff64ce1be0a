# A file of a session's rank, and the kernel's log of one host. Where containers don't print UTC,
# say what they print: &tz=Asia/Seoul behind rank=0.
curl --fail --show-error -H "Authorization: Bearer @{shell_token}" \
  --data-binary @@rank0.log \
  '@{base}/api/v1/logs?stream=session&session=my-run&host=gpu001&rank=0@{and_cluster}'
journalctl --dmesg --output=short-iso-precise --since=-2h |
  curl --fail --show-error -H "Authorization: Bearer @{shell_token}" \
  --data-binary @@- \
  "@{base}/api/v1/logs?stream=kernel&host=$(hostname -s)@{and_cluster}"
