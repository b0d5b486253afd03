#!/usr/bin/env bash
# An upload that is retried with nothing, and a success. A stream can be read once. axios-retry 4.5.0, by default, repeats a PUT that was answered
# by 503, and the stream of axios 1.21.1 has ended by then: the second request has no body, the server stores a file of 0 bytes and says 200, and
# nobody is told that the file is gone. The same with fetch-retry 6.0.0 over node-fetch 2.7.0 and its `retryOn`. Over the `fetch` of Node it
# rejects, and got 14.6.6 does not repeat a stream. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts axios@1.21.1 axios-retry@4.5.0 fetch-retry@6.0.0 node-fetch@2.7.0 got@14.6.6
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import fetchRetry from 'fetch-retry';
import got from 'got';
import nodeFetch from 'node-fetch';

let stored = [];
const server = createServer(async (request, response) => {
  let bytes = 0;
  for await (const chunk of request) bytes += chunk.length;
  const isFirst = stored.length === 0;
  stored.push(bytes);
  response.writeHead(isFirst ? 503 : 200).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;
const file = () => Readable.from([Buffer.alloc(50_000), Buffer.alloc(50_000)]);

async function show(name, put) {
  stored = [];
  const end = await put().then(
    (response) => `answered by ${response.status ?? response.statusCode}`,
    (error) => `rejected with ${error.name}`,
  );
  console.log(`${name}: the server gets ${stored.join(' and ')} bytes; ${end}`);
}
axiosRetry(axios);
const retried = { method: 'PUT', retries: 3, retryDelay: 10, retryOn: [503] };
await show('axios-retry', () => axios.put(url, file()));
await show('fetch-retry, node-fetch', () => fetchRetry(nodeFetch)(url, { ...retried, body: file() }));
await show('fetch-retry, fetch', () => fetchRetry(fetch)(url, { ...retried, body: file(), duplex: 'half' }));
await show('got', () => got.put(url, { body: file() }));
process.exit();
SHOW
cat >expected <<'SEEN'
axios-retry: the server gets 100000 and 0 bytes; answered by 200
fetch-retry, node-fetch: the server gets 100000 and 0 bytes; answered by 200
fetch-retry, fetch: the server gets 100000 bytes; rejected with TypeError
got: the server gets 100000 bytes; rejected with HTTPError
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
