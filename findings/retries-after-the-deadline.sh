#!/usr/bin/env bash
# A deadline that ends the delays and not the retries. gaxios 8.3.3, below Google's clients, shortens its delays so that the last retry comes
# at `totalTimeout`, after which, by its types, an error is returned whatever has been retried. It looks at the clock for the delay alone:
# when the time is over the delay is none, and all retries that are left follow at once, 28 of 30 here, to a server that is down already.
# The error comes when they are used up. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts gaxios@8.3.3
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { request } from 'gaxios';

let times = [];
const server = createServer((_request, response) => {
  times.push(Date.now());
  response.writeHead(503).end();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;

const totalTimeout = 3_000;
for (const retry of [2, 30]) {
  times = [];
  await request({ url, retryConfig: { retry, retryDelay: 1_000, totalTimeout } }).catch(() => undefined);
  const late = times.filter((time) => time - times[0] >= totalTimeout);
  const longest = Math.max(0, ...late.map((time, index) => time - (late[index - 1] ?? time)));
  console.log(`retry: ${retry}, totalTimeout: 3 s: ${times.length - late.length} requests in time, ${late.length} after it`);
  if (late.length > 0) console.log(`  the longest delay between these: ${longest < 1_000 ? 'none' : `${longest} ms`}`);
}
server.close();
SHOW
cat >expected <<'SEEN'
retry: 2, totalTimeout: 3 s: 3 requests in time, 0 after it
retry: 30, totalTimeout: 3 s: 3 requests in time, 28 after it
  the longest delay between these: none
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
