#!/usr/bin/env bash
# An order that is placed three times, and is an error. undici-retry 7.0.0 reads the body of an answer inside the part that it retries: a 201 that
# names JSON as its type and has no body, as many a POST is answered, cannot be parsed, and the request is sent again, up to `maxAttempts`, each
# time with success. The caller gets the SyntaxError. With `safeParseJson` it is the same. And the delays, exponential by default, are asked for
# statuses alone: after a lost connection all attempts follow at once. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts undici-retry@7.0.0 undici@7.30.2
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Client } from 'undici';
import { sendWithRetry } from 'undici-retry';

let requests = [];
let answer;
const server = createServer((request, response) => {
  requests.push(performance.now());
  request.resume().on('end', () => answer(response));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const client = new Client(`http://127.0.0.1:${server.address().port}`);
const json = { 'content-type': 'application/json' };

async function show(name, how, parameters) {
  requests = [];
  answer = how;
  const order = { method: 'POST', path: '/orders', headers: json, body: '{"item":1}' };
  const { error } = await sendWithRetry(client, order, { maxAttempts: 3, statusCodesToRetry: [503], retryOnTimeout: false }, parameters);
  const isPaced = requests.slice(1).every((at, index) => at - requests[index] > 90);
  console.log(`${name}: ${requests.length} requests ${isPaced ? 'with delays' : 'at once'}, ${error.statusCode ?? error.name}`);
}
await show('503', (response) => response.writeHead(503).end());
await show('201 without a body', (response) => response.writeHead(201, json).end());
await show('201 without a body, safeParseJson', (response) => response.writeHead(201, json).end(), { safeParseJson: true });
await show('connection lost', (response) => response.socket.destroy());
await client.close();
server.close();
SHOW
cat >expected <<'SEEN'
503: 3 requests with delays, 503
201 without a body: 3 requests at once, SyntaxError
201 without a body, safeParseJson: 3 requests at once, UnprocessableResponseError
connection lost: 3 requests at once, SocketError
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
