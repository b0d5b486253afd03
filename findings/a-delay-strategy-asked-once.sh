#!/usr/bin/env bash
# A strategy that is asked once. phin-retry 2.0.0 lets one compute the delay before each retry by `delayStrategy`. Of the options that it keeps for
# the next try this one is missing: the first retry waits as the strategy says, all others by the default, 100 ms after a status and a second after
# a lost connection. Who doubles a delay, or gives a server five minutes, waits once and then knocks as if nothing had been said. `retryStrategy` is
# asked each time. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts phin-retry@2.0.0
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import request from 'phin-retry';

const requests = [];
const server = createServer((_request, response) => {
  requests.push(performance.now());
  response.writeHead(503).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');

const asked = { retryStrategy: 0, delayStrategy: 0 };
await request
  .get({
    url: `http://127.0.0.1:${server.address().port}/`,
    retry: 3,
    retryStrategy: () => {
      asked.retryStrategy += 1;
      return true;
    },
    delayStrategy: () => {
      asked.delayStrategy += 1;
      return 800;
    },
  })
  .catch(() => undefined);
const delays = requests.slice(1).map((at, index) => (at - requests[index] > 600 ? '800 ms' : 'much less'));
console.log(`${requests.length} requests, retryStrategy asked ${asked.retryStrategy} times, delayStrategy ${asked.delayStrategy}`);
console.log(`between them: ${delays.join(', ')}`);
server.close();
server.closeAllConnections();
SHOW
cat >expected <<'SEEN'
4 requests, retryStrategy asked 4 times, delayStrategy 1
between them: 800 ms, much less, much less
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
