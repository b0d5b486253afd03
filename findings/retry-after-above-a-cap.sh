#!/usr/bin/env bash
# Clients that come back earlier the longer a server asks them to stay away. openai 7.59.0 follows a `Retry-After` of up to 60 seconds; asked
# for 61, it waits its own half second, in the middle of the outage. The RetryAgent of undici 7.30.2 cuts the wait to its `maxTimeout`,
# an option about its own delays, and retries unasked then. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts openai@7.59.0 undici@7.30.2
cat >show.mjs <<'SHOW'
import { createServer } from 'node:http';
import OpenAI from 'openai';
import { Agent, RetryAgent, request } from 'undici';

let seconds = 0;
let calls = [];
const server = createServer((_request, response) => {
  calls.push(Date.now());
  response.writeHead(503, { 'content-type': 'application/json', 'retry-after': String(seconds) });
  response.end('{}');
});
await new Promise((resolve) => server.listen(0, resolve));
const url = `http://localhost:${server.address().port}/`;

const clients = {
  openai: () => new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 1 }).models.list(),
  undici: () => request(url, { dispatcher: new RetryAgent(new Agent(), { maxRetries: 1, maxTimeout: 1_000 }) }),
};
const ranges = [
  [700, 'under 0.7 s'],
  [2_000, 'about 1 s'],
  [Infinity, 'as asked'],
];

for (const asked of [2, 60, 61, 600]) {
  for (const [name, call] of Object.entries(clients)) {
    seconds = asked;
    calls = [];
    await Promise.race([call().catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 3_500))]);
    const waited = calls.length > 1 ? calls[1] - calls[0] : Infinity;
    console.log(`Retry-After: ${asked}, ${name} waits ${ranges.find(([limit]) => waited < limit || limit === Infinity)[1]}`);
  }
}
process.exit();
SHOW
cat >expected <<'SEEN'
Retry-After: 2, openai waits as asked
Retry-After: 2, undici waits about 1 s
Retry-After: 60, openai waits as asked
Retry-After: 60, undici waits about 1 s
Retry-After: 61, openai waits under 0.7 s
Retry-After: 61, undici waits about 1 s
Retry-After: 600, openai waits under 0.7 s
Retry-After: 600, undici waits about 1 s
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
