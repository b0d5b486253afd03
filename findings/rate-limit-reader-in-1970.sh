#!/usr/bin/env bash
# ratelimit-header-parser 0.1.0 (the reader of the makers of express-rate-limit) on headers as servers send them: a `Retry-After` of 120
# seconds beside a limit without its reset is read as an instant in seconds, two minutes into 1970, so that a client that waits until
# then does not wait. The `RateLimit` header of express-rate-limit 8.7.5 (`draft-8`) is read as four times nothing; without an error in
# both cases. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts ratelimit-header-parser@0.1.0 express@5.2.1 express-rate-limit@8.7.5
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { parseRateLimit } from 'ratelimit-header-parser';

const limited = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'retry-after': '120' };
console.log(`Retry-After: 120 is ${parseRateLimit(new Headers(limited)).reset.toISOString()}`);

const app = express();
app.use('/7', rateLimit({ windowMs: 120_000, limit: 60, standardHeaders: 'draft-7', legacyHeaders: false }));
app.use('/8', rateLimit({ windowMs: 120_000, limit: 60, standardHeaders: 'draft-8', legacyHeaders: false }));
app.use((_request, response) => response.send('ok'));
const server = app.listen(0);
await once(server, 'listening');
for (const draft of ['7', '8']) {
  const { headers } = await fetch(`http://localhost:${server.address().port}/${draft}`);
  const { limit, used, remaining, reset } = parseRateLimit(headers);
  console.log(`${headers.get('ratelimit')} is ${limit} ${used} ${remaining}, ${reset > new Date() ? 'a reset ahead' : 'no reset'}`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
Retry-After: 120 is 1970-01-01T00:02:00.000Z
limit=60, remaining=59, reset=120 is 60 1 59, a reset ahead
"60-in-2min"; r=59; t=120 is NaN NaN NaN, no reset
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
