#!/usr/bin/env bash
# A ban that is written but not kept. With `exponentialBackoff: true` @fastify/rate-limit 11.2.0 doubles the `Retry-After` of a client that comes
# back too early, as its documentation says, while its store in memory, the default, compares with the plain `timeWindow`: told to wait for
# 16 seconds, a client that asks after one and a half is let in, with a fresh count. It holds the obedient out and nobody
# else, and a test that believes the header tests another limiter. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts fastify@5.12.8 @fastify/rate-limit@11.2.0
cat >show.mjs <<'SHOW'
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';

const app = Fastify();
await app.register(rateLimit, { max: 1, timeWindow: 1_000, exponentialBackoff: true });
app.get('/', async () => 'ok');
const ask = async (when) => {
  const { statusCode, headers } = await app.inject('/');
  console.log(`${when}: ${statusCode}, Retry-After: ${headers['retry-after'] ?? 'none'}`);
};
await ask('first');
for (const number of [1, 2, 3, 4, 5]) await ask(`too early, ${number}`);
await new Promise((resolve) => setTimeout(resolve, 1_500));
await ask('1.5 s later');
await app.close();
SHOW
cat >expected <<'SEEN'
first: 200, Retry-After: none
too early, 1: 429, Retry-After: 1
too early, 2: 429, Retry-After: 2
too early, 3: 429, Retry-After: 4
too early, 4: 429, Retry-After: 8
too early, 5: 429, Retry-After: 16
1.5 s later: 200, Retry-After: none
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
