#!/usr/bin/env bash
# Too many requests, by one digit. The documentation of fetch-retry-ts 1.3.1 has 429, 503 and 504 as the statuses that are retried by default, a
# delay of 1000 ms, and `retries` as the number of attempts, three. In the code the first status is 419, which is in no standard, so that a 429 is
# returned at once: who relies on the default retries an outage and not a limit. The delay is 500 ms, and `retries` are what follows the first
# request, so that there are four. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts fetch-retry-ts@1.3.1
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fetchBuilder } from 'fetch-retry-ts';

let status = 0;
let requests = [];
const server = createServer((_request, response) => {
  requests.push(performance.now());
  response.writeHead(status).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;
const fetchWithRetry = fetchBuilder(fetch);

for (status of [419, 429, 503, 504]) {
  requests = [];
  await fetchWithRetry(url, { retryDelay: 10 });
  console.log(`${status}: ${requests.length} requests`);
}
requests = [];
await fetchWithRetry(url, { retries: 1 });
console.log(`retries: 1, ${requests.length} requests, about ${Math.round((requests[1] - requests[0]) / 250) * 250} ms apart`);
server.close();
server.closeAllConnections();
SHOW
cat >expected <<'SEEN'
419: 4 requests
429: 1 requests
503: 4 requests
504: 4 requests
retries: 1, 2 requests, about 500 ms apart
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
