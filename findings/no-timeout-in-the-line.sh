#!/usr/bin/env bash
# A timeout that does not run in the line. With `maxSockets` of a `http.Agent` a request waits for a place, and until it has one it has no socket:
# the `timeout` of Node's own `http.get`, of axios 1.21.1 and of node-fetch 2.7.0 is set on the socket, and begins after the wait; got 14.6.6 and
# needle 3.5.0 count in time, and reject when the place is theirs, as does the `signal` of `http.get`, for what is destroyed without a socket says
# so only then. One dependency that is slow makes all calls to it wait longer than their timeouts, and the more of them, the longer. axios and got
# with a `signal`, and superagent 10.4.2, reject in time. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts axios@1.21.1 got@14.6.6 needle@3.5.0 node-fetch@2.7.0 superagent@10.4.2
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import http from 'node:http';
import axios from 'axios';
import got from 'got';
import needle from 'needle';
import nodeFetch from 'node-fetch';
import superagent from 'superagent';

const server = http.createServer((_, response) => setTimeout(() => response.end(), 6_000)).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;
const timeout = 1_000;
const signal = () => AbortSignal.timeout(timeout);
const get = (options) =>
  new Promise((resolve, reject) => {
    const request = http.get(url, options, resolve).on('error', reject);
    request.on('timeout', () => request.destroy(new Error('timeout')));
  });
const calls = {
  'http.get, timeout': (agent) => get({ agent, timeout }),
  'http.get, signal': (agent) => get({ agent, signal: signal() }),
  'axios, timeout': (httpAgent) => axios.get(url, { httpAgent, timeout }),
  'axios, signal': (httpAgent) => axios.get(url, { httpAgent, signal: signal() }),
  'node-fetch, timeout': (agent) => nodeFetch(url, { agent, timeout }),
  'got, timeout': (agent) => got(url, { agent: { http: agent }, timeout: { request: timeout }, retry: { limit: 0 } }),
  'got, signal': (agent) => got(url, { agent: { http: agent }, signal: signal(), retry: { limit: 0 } }),
  'needle, timeout': (agent) => needle('get', url, null, { agent, timeout }),
  'superagent, timeout': (agent) => superagent.get(url).agent(agent).timeout(timeout),
};

async function measure([name, call]) {
  const agent = new http.Agent({ maxSockets: 1 });
  http.get(url, { agent }, (response) => response.resume());
  const startedAt = Date.now();
  const isRejected = await call(agent).then(
    () => false,
    () => true,
  );
  const isInTime = Date.now() - startedAt < 3_500;
  return `${name}: ${isRejected ? 'rejects' : 'resolves'} ${isInTime ? 'in time' : 'when the request before it has ended'}`;
}
for (const line of await Promise.all(Object.entries(calls).map(measure))) console.log(line);
process.exit();
SHOW
cat >expected <<'SEEN'
http.get, timeout: rejects when the request before it has ended
http.get, signal: rejects when the request before it has ended
axios, timeout: rejects when the request before it has ended
axios, signal: rejects in time
node-fetch, timeout: rejects when the request before it has ended
got, timeout: rejects when the request before it has ended
got, signal: rejects in time
needle, timeout: rejects when the request before it has ended
superagent, timeout: rejects in time
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
