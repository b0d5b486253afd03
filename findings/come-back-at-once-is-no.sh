#!/usr/bin/env bash
# "Come back at once" is a no. With `Retry-After: 0`, which means now, retry-axios 4.0.3 makes no retry: what is no delay is to it a header that
# cannot be followed. A date that has been reached is the same, and as dates have whole seconds that of a server that says "now" always
# has. What a limiter sends when its window is nearly over, or a server that has just recovered, ends the retrying, while no header, or a
# `Retry-After: 1`, goes on with it. axios-retry 4.5.0 and ky 1.14.3 retry all of them. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts axios@1.21.1 retry-axios@4.0.3 axios-retry@4.5.0 ky@1.14.3
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import ky from 'ky';
import * as retryAxios from 'retry-axios';

let requests = 0;
const headers = {
  'no header': () => ({}),
  'Retry-After: 1': () => ({ 'Retry-After': '1' }),
  'Retry-After: 0': () => ({ 'Retry-After': '0' }),
  'the date of now': () => ({ 'Retry-After': new Date().toUTCString() }),
};
const server = createServer((request, response) => {
  requests += 1;
  response.writeHead(503, headers[decodeURIComponent(request.url.slice(1))]()).end();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const first = axios.create();
retryAxios.attach(first);
const second = axios.create();
axiosRetry(second, { retries: 3 });
const clients = {
  'retry-axios': (url) => first.get(url),
  'axios-retry': (url) => second.get(url),
  ky: (url) => ky.get(url, { retry: 3 }),
};
for (const [name, get] of Object.entries(clients)) {
  const counts = [];
  for (const header of Object.keys(headers)) {
    requests = 0;
    await get(`http://127.0.0.1:${server.address().port}/${encodeURIComponent(header)}`).catch(() => undefined);
    counts.push(`${header}: ${requests}`);
  }
  console.log(`requests of ${name}: ${counts.join(', ')}`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
requests of retry-axios: no header: 4, Retry-After: 1: 4, Retry-After: 0: 1, the date of now: 1
requests of axios-retry: no header: 4, Retry-After: 1: 4, Retry-After: 0: 4, the date of now: 4
requests of ky: no header: 4, Retry-After: 1: 4, Retry-After: 0: 4, the date of now: 4
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
