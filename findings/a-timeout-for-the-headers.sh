#!/usr/bin/env bash
# A timeout that ends with the headers. The server here answers at once and takes six seconds for its body. With a timeout of one second axios 1.21.1
# (in Node), ky 1.14.3, ofetch 1.5.1, urllib 4.9.2 and phin 3.7.1 wait for all six, as they would for an hour, and succeed: when the headers are
# there, their clock stops, or each piece of the body winds it up again. The `timeout` of axios is for the request to take, by its documentation. got
# 14.6.6, ky 2.1.0, superagent 10.4.2, node-fetch 2.7.0, gaxios 8.3.3, up-fetch 2.6.1, xior 0.8.5 and a `signal` end it in time. Seen on Node 20.20.2,
# 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts axios@1.21.1 got@14.6.6 ky@1.14.3 ky-2@npm:ky@2.1.0 superagent@10.4.2 node-fetch@2.7.0 ofetch@1.5.1 gaxios@8.3.3 up-fetch@2.6.1 xior@0.8.5 urllib@4.9.2 phin@3.7.1
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { request as gaxios } from 'gaxios';
import got from 'got';
import ky from 'ky';
import ky2 from 'ky-2';
import nodeFetch from 'node-fetch';
import { ofetch } from 'ofetch';
import phin from 'phin';
import superagent from 'superagent';
import { up } from 'up-fetch';
import urllib from 'urllib';
import xior from 'xior';

// The headers come at once, the body within six seconds.
const server = createServer(async (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('[');
  for (let index = 0; index < 20; index += 1) {
    await sleep(300);
    response.write(' ');
  }
  response.end(']');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;
const second = 1_000;
const calls = {
  'axios 1, timeout': () => axios.get(url, { timeout: second }),
  'got, timeout.request': () => got(url, { timeout: { request: second }, retry: { limit: 0 } }).json(),
  'ky 1, timeout': () => ky(url, { timeout: second, retry: 0 }).json(),
  'ky 2, timeout': () => ky2(url, { timeout: second, retry: 0 }).json(),
  'superagent, timeout': () => superagent.get(url).timeout(second),
  'node-fetch 2, timeout': () => nodeFetch(url, { timeout: second }).then((response) => response.json()),
  'ofetch, timeout': () => ofetch(url, { timeout: second, retry: 0 }),
  'gaxios, timeout': () => gaxios({ url, timeout: second, retryConfig: { retry: 0 } }),
  'up-fetch, timeout': () => up(fetch)(url, { timeout: second }),
  'xior, timeout': () => xior.create().get(url, { timeout: second }),
  'urllib, timeout': () => urllib.request(url, { timeout: second, dataType: 'json', socketErrorRetry: 0 }),
  'phin, timeout': () => phin({ url, timeout: second, parse: 'json' }),
  'fetch, AbortSignal.timeout': () => fetch(url, { signal: AbortSignal.timeout(second) }).then((response) => response.json()),
};
const ends = await Promise.all(Object.entries(calls).map(async ([name, call]) => {
  const startedAt = Date.now();
  const end = await call().then(() => 'a success', () => 'rejects');
  return `${name}: ${end} after ${Math.round((Date.now() - startedAt) / 1_000)} s`;
}));
console.log(ends.join('\n'));
process.exit();
SHOW
cat >expected <<'SEEN'
axios 1, timeout: a success after 6 s
got, timeout.request: rejects after 1 s
ky 1, timeout: a success after 6 s
ky 2, timeout: rejects after 1 s
superagent, timeout: rejects after 1 s
node-fetch 2, timeout: rejects after 1 s
ofetch, timeout: a success after 6 s
gaxios, timeout: rejects after 1 s
up-fetch, timeout: rejects after 1 s
xior, timeout: rejects after 1 s
urllib, timeout: a success after 6 s
phin, timeout: a success after 6 s
fetch, AbortSignal.timeout: rejects after 1 s
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
