#!/usr/bin/env bash
# Failures before the answer. `curl --retry 3` of curl 7.88.1 repeats what was answered by 503, and its output is that of all tries: the body of each
# failure is written before that of the answer, and the end is a success. A pipe into `jq`, or a `>`, gets two pages of errors and then the JSON. With
# `--output` each try begins the file anew, and with `--fail` failures have no body; `--fail-with-body` has them all. Seen on 2026-11-30, on the curl
# of Debian 12.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
cat >server.mjs <<'SERVER'
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const requests = {};
const server = createServer(({ url }, response) => {
  requests[url] = (requests[url] ?? 0) + 1;
  if (requests[url] <= 2) response.writeHead(503).end('{"error":"busy"}\n');
  else response.end('{"orders":12}\n');
}).listen(0, '127.0.0.1', () => writeFileSync('port', `${server.address().port}`));
SERVER
node server.mjs &
server=$!
until [ -s port ]; do sleep 0.1; done
url="http://127.0.0.1:$(cat port)"
show() {
  name="$1"
  shift
  if "$@" >out 2>/dev/null; then end='success'; else end='failure'; fi
  if [ -s file ]; then mv file out; fi
  echo "$name: $end, $(tr '\n' ' ' <out)"
}
{
  echo "curl $(curl --version | awk '{ print $2; exit }')"
  show 'curl --retry 3, to its output' curl --silent --retry 3 "$url/1"
  show 'curl --retry 3 --output' curl --silent --retry 3 --output file "$url/2"
  show 'curl --retry 3 --fail, to its output' curl --silent --retry 3 --fail "$url/3"
  show 'curl --retry 3 --fail-with-body, to its output' curl --silent --retry 3 --fail-with-body "$url/4"
} | tee seen
cat >expected <<'SEEN'
curl 7.88.1
curl --retry 3, to its output: success, {"error":"busy"} {"error":"busy"} {"orders":12} 
curl --retry 3 --output: success, {"orders":12} 
curl --retry 3 --fail, to its output: success, {"orders":12} 
curl --retry 3 --fail-with-body, to its output: success, {"error":"busy"} {"error":"busy"} {"orders":12} 
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
