#!/usr/bin/env bash
# Two thirds of a condition are never asked. The documentation of @better-fetch/fetch 1.3.3, the client of Better Auth, shows a `shouldRetry` that
# repeats when there is no response, when the status is not 200, and when a 200 says that something is not completed yet. It is asked for the second
# of them alone: a lost connection and a timeout reject at once, and a 200 is a success whatever is in it. Without a condition each 404 is repeated.
# And `timeout` is off beside a `signal`, and over when the headers are there: a body may take as long as it likes. Seen on Node 20.20.2,
# 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @better-fetch/fetch@1.3.3
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { betterFetch } from '@better-fetch/fetch';

let requests = 0;
let answer;
const server = createServer((_request, response) => {
  requests += 1;
  answer(response);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;

async function show(name, how, options) {
  requests = 0;
  let asked = 0;
  const shouldRetry = () => {
    asked += 1;
    return true;
  };
  answer = how;
  const outcome = await betterFetch(url, { retry: { type: 'linear', attempts: 2, delay: 10, shouldRetry }, ...options }).then(
    ({ error }) => (error ? `returns the error ${error.status}` : 'returns data'),
    (error) => `rejects with ${error.name}`,
  );
  console.log(`${name}: asked ${asked} times, ${requests} requests, ${outcome}`);
}
const json = { 'content-type': 'application/json' };
await show('503', (response) => response.writeHead(503).end());
await show('connection lost', (response) => response.socket.destroy());
await show('200, not completed', (response) => response.writeHead(200, json).end('{"completed":false}'));
await show('timeout of 200 ms', () => undefined, { timeout: 200 });
await show('404, no condition', (response) => response.writeHead(404).end(), { retry: 2 });
const late = (response) => setTimeout(() => response.end('late'), 800);
await show('timeout of 200 ms and a signal', late, { timeout: 200, signal: new AbortController().signal });
const slowBody = (response) => setTimeout(() => response.end('late'), 800, response.write('a part of it'));
await show('timeout of 200 ms and a slow body', slowBody, { timeout: 200 });
server.close();
server.closeAllConnections();
SHOW
cat >expected <<'SEEN'
503: asked 2 times, 3 requests, returns the error 503
connection lost: asked 0 times, 1 requests, rejects with TypeError
200, not completed: asked 0 times, 1 requests, returns data
timeout of 200 ms: asked 0 times, 1 requests, rejects with AbortError
404, no condition: asked 0 times, 3 requests, returns the error 404
timeout of 200 ms and a signal: asked 0 times, 1 requests, returns data
timeout of 200 ms and a slow body: asked 0 times, 1 requests, returns data
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
