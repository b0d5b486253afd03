#!/usr/bin/env bash
# A retry to another address. axios-retry 4.5.0, retry-axios 4.0.3 and the plugin error-retry of xior 0.8.5 send a request again through the
# client: what its interceptors have made of it goes through them once more, as does a request of ky 1.14.3 through its `beforeRequest` hooks. One
# that puts a prefix before the path asks for `/v1/v1/orders`, one that appends to a header appends twice, and a 503 that lasted a moment ends as a
# 404, which nobody repeats. A prefix in `baseURL` stays one. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts axios@1.21.1 axios-retry@4.5.0 retry-axios@4.0.3 xior@0.8.5 ky@1.14.3
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import ky from 'ky';
import * as rax from 'retry-axios';
import xior from 'xior';
import errorRetry from 'xior/plugins/error-retry';

let asked = [];
const server = createServer((request, response) => {
  asked.push(request.url);
  response.statusCode = asked.length === 1 ? 503 : request.url === '/v1/orders' ? 200 : 404;
  response.end('{}');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const baseURL = `http://127.0.0.1:${server.address().port}`;
const withPrefix = (config) => Object.assign(config, { url: `/v1${config.url}` });

const plain = axios.create({ baseURL });
plain.interceptors.request.use(withPrefix);
axiosRetry(plain);
const based = axios.create({ baseURL: `${baseURL}/v1` });
axiosRetry(based);
const other = axios.create({ baseURL, raxConfig: { retry: 3, retryDelay: 10, backoffType: 'static' } });
other.interceptors.request.use(withPrefix);
rax.attach(other);
const light = xior.create({ baseURL });
light.interceptors.request.use(withPrefix);
light.plugins.use(errorRetry({ retryInterval: 10 }));
const toPrefix = (request) => new Request(request.url.replace('/orders', '/v1/orders'), request);
const hooked = ky.create({ hooks: { beforeRequest: [toPrefix] }, retry: { delay: () => 10 } });

const calls = {
  'axios-retry': () => plain.get('/orders'),
  'retry-axios': () => other.get('/orders'),
  xior: () => light.get('/orders'),
  ky: () => hooked(`${baseURL}/orders`),
  'axios-retry, baseURL': () => based.get('/orders'),
};
for (const [name, call] of Object.entries(calls)) {
  asked = [];
  const status = await call().then(
    (response) => response.status,
    (error) => error.response?.status,
  );
  console.log(`${name}: ${asked.join(', ')}: ${status}`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
axios-retry: /v1/orders, /v1/v1/orders: 404
retry-axios: /v1/orders, /v1/v1/orders: 404
xior: /v1/orders, /v1/v1/orders, /v1/v1/v1/orders: 404
ky: /v1/orders, /v1/v1/orders: 404
axios-retry, baseURL: /v1/orders, /v1/orders: 200
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
