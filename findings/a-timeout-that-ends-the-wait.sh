#!/usr/bin/env bash
# A timeout that ends the wait for the retry. up-fetch 2.6.1 waits between two tries under the signal of the one before, and its `timeout` goes on
# counting after the answer: a delay that ends later than `timeout` after the start of the try is cut, and the call rejects with a TimeoutError
# though each answer came at once. Of delays that grow the last ones are lost in this way, just in a long outage. And a `signal` among the defaults,
# where its types have one, is not heard. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts up-fetch@2.6.1
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { up } from 'up-fetch';

let requests = 0;
let answer = (response) => (requests < 3 ? response.writeHead(503).end() : response.end('an answer'));
const server = createServer((_request, response) => {
  requests += 1;
  answer(response);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;

async function show(name, defaults, options) {
  requests = 0;
  const outcome = await up(fetch, () => defaults)(url, options).then(
    (value) => `resolves with ${value}`,
    (error) => `rejects with ${error.name}`,
  );
  console.log(`${name}: ${requests} requests, ${outcome}`);
}
const retry = { attempts: 3, delay: 600 };
await show('no timeout, delays of 600 ms', { retry });
await show('a timeout of 5000 ms, delays of 600 ms', { retry, timeout: 5_000 });
await show('a timeout of 400 ms, delays of 600 ms', { retry, timeout: 400 });

answer = (response) => setTimeout(() => response.end('an answer'), 600);
await show('a signal of the call, aborted after 100 ms', {}, { signal: AbortSignal.timeout(100) });
await show('a signal of the defaults, aborted after 100 ms', { signal: AbortSignal.timeout(100) });
server.close();
server.closeAllConnections();
SHOW
cat >expected <<'SEEN'
no timeout, delays of 600 ms: 3 requests, resolves with an answer
a timeout of 5000 ms, delays of 600 ms: 3 requests, resolves with an answer
a timeout of 400 ms, delays of 600 ms: 1 requests, rejects with TimeoutError
a signal of the call, aborted after 100 ms: 1 requests, rejects with TimeoutError
a signal of the defaults, aborted after 100 ms: 1 requests, resolves with an answer
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
