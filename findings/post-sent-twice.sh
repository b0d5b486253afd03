#!/usr/bin/env bash
# Clients that send a POST twice. After a reset connection, urllib 4.9.2 repeats every request once by default, POST too (`socketErrorRetry: 1`,
# `retry: 0`); superagent 10.4.2 repeats a POST as soon as `.retry(1)` is set, also after a 500 and a timeout, and waits for nothing. The server may have
# acted on the first. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts urllib@4.9.2 superagent@10.4.2
cat >show.mjs <<'SHOW'
import { createServer } from 'node:http';
import superagent from 'superagent';
import { request } from 'urllib';

let calls = [];
const server = createServer((incoming, response) => {
  calls.push(Date.now());
  incoming.resume();
  incoming.on('end', () => {
    if (incoming.url === '/reset') incoming.socket.resetAndDestroy();
    else response.writeHead(503, { 'retry-after': '7' }).end();
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;

const clients = {
  'urllib, by default, after a reset': () => request(`${url}/reset`, { method: 'POST', data: { a: 1 } }),
  'superagent, .retry(1), after a reset': () => superagent.post(`${url}/reset`).retry(1).send({ a: 1 }),
  'superagent, .retry(1), after a 503 with Retry-After: 7': () => superagent.post(url).retry(1).send({ a: 1 }),
};
for (const [name, call] of Object.entries(clients)) {
  calls = [];
  await call().catch(() => undefined);
  const waited = calls.length > 1 ? `, the second within ${calls[1] - calls[0] < 500 ? 'half a second' : 'longer'}` : '';
  console.log(`${name}: ${calls.length} POST requests${waited}`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
urllib, by default, after a reset: 2 POST requests, the second within half a second
superagent, .retry(1), after a reset: 2 POST requests, the second within half a second
superagent, .retry(1), after a 503 with Retry-After: 7: 2 POST requests, the second within half a second
SEEN
TZ=UTC node --no-warnings show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
