#!/usr/bin/env bash
# Options that hold for one call. @adobe/node-fetch-retry 2.2.0 removes `retryOptions` from the object that it is given and writes its own `signal`
# there: with options that two calls share, the second knows nothing of `retryOptions: false` or of a duration, and retries a 503 for the
# minute that is its default. The signal of the caller is replaced in the first call already: an abort ends nothing, and the retries
# go on until one answers or the time is over. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @adobe/node-fetch-retry@2.2.0
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import fetch from '@adobe/node-fetch-retry';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
console.error = () => undefined;
let requests = 0;
const server = createServer((_request, response) => {
  requests += 1;
  response.writeHead(503).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;

async function show(name, options) {
  requests = 0;
  const call = fetch(url, options).then(
    (response) => `answered with ${response.status}`,
    (error) => `rejects with ${error.name}`,
  );
  const outcome = await Promise.race([call, sleep(1_500).then(() => 'retries still')]);
  console.log(`${name}: ${outcome}, ${requests === 1 ? 'one request' : 'several requests'}`);
}
const withoutRetries = { retryOptions: false };
await show('no retries, first call', withoutRetries);
await show('no retries, second call', withoutRetries);
const forASecond = { retryOptions: { retryMaxDuration: 800 } };
await show('for 0.8 s, first call', forASecond);
await show('for 0.8 s, second call', forASecond);
const controller = new AbortController();
setTimeout(() => controller.abort(), 200);
await show('aborted after 0.2 s', { retryOptions: { retryMaxDuration: 5_000 }, signal: controller.signal });
process.exit();
SHOW
cat >expected <<'SEEN'
no retries, first call: answered with 503, one request
no retries, second call: retries still, several requests
for 0.8 s, first call: answered with 503, several requests
for 0.8 s, second call: retries still, several requests
aborted after 0.2 s: retries still, several requests
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
