#!/usr/bin/env bash
# An abort between two tries. retry-request 9.1.0 returns an object with `abort()`, which ends the request that is under way. During the delay
# before a retry there is none: it ends the one that was answered before, the timer goes on, and the retry is sent, and answered to the callback of
# a call that was given up. With its delays of two seconds and more that is where a call that fails spends its time. Seen on Node 20.20.2,
# 2026-11-30, with a delay of about 0.6 s.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts retry-request@9.1.0
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import retryRequest from 'retry-request';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let requests = 0;
const server = createServer((_request, response) => {
  requests += 1;
  setTimeout(() => response.writeHead(503).end(), 100);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;

function request(options, callback) {
  const sent = get(options.url, (response) => response.resume().on('end', () => callback(null, response)));
  sent.on('error', (error) => callback(error));
  return { abort: () => sent.destroy() };
}

Math.random = () => 0.5;
async function show(name, abortAfterMs) {
  requests = 0;
  const callbacks = [];
  const options = { request, retries: 1, noResponseRetries: 0, retryDelayMultiplier: 0.1 };
  const call = retryRequest({ url }, options, (error, response) => callbacks.push(error ? error.code : response.statusCode));
  await sleep(abortAfterMs);
  call.abort();
  await sleep(1_500 - abortAfterMs);
  console.log(`${name}: ${requests} requests, callback: ${callbacks.join(', ')}`);
}
await show('aborted during the first request', 50);
await show('aborted during the delay', 300);
server.close();
server.closeAllConnections();
SHOW
cat >expected <<'SEEN'
aborted during the first request: 1 requests, callback: ECONNRESET
aborted during the delay: 2 requests, callback: 503
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
