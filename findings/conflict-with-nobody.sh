#!/usr/bin/env bash
# A request that is in progress for ever. express-idempotency 1.0.6 keeps a key while its request is handled, and lets it go at the answer, if
# that is given by `res.send` or `res.json`. Of `res.end`, `res.redirect`, a stream and an error that is thrown, where Express itself writes
# the 500, it learns nothing: each retry is a 409, "a previous request is still in progress", which no client can tell from one that is,
# and which has no end. A 204 is not found again, and a 503 never tried again. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts express@5.2.1 express-idempotency@1.0.6
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { Readable } from 'node:stream';
import express from 'express';
import { getSharedIdempotencyService, idempotency } from 'express-idempotency';

const answers = {
  "status(503).send('busy')": (response) => response.status(503).send('busy'),
  'json({ id: 1 })': (response) => response.json({ id: 1 }),
  'status(503).end()': (response) => response.status(503).end(),
  'status(204).end()': (response) => response.status(204).end(),
  "redirect(303, '/1')": (response) => response.redirect(303, '/1'),
  'a stream': (response) => Readable.from(['{ "id": 1 }']).pipe(response),
  'an error': () => {
    throw new Error('busy');
  },
};
let handled = 0;
const app = express();
app.set('env', 'test'); // Express reports no errors by itself.
app.use(idempotency());
app.post('/', (request, response) => {
  if (getSharedIdempotencyService().isHit(request)) return;
  handled += 1;
  answers[request.query.by](response);
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');

for (const by of Object.keys(answers)) {
  const url = `http://127.0.0.1:${server.address().port}/?${new URLSearchParams({ by })}`;
  const statuses = [];
  handled = 0;
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const response = await fetch(url, { method: 'POST', redirect: 'manual', headers: { 'Idempotency-Key': by } });
    statuses.push(response.status);
    await response.text();
  }
  console.log(`${by}: ${statuses.join(', then ')}; handled ${handled === 1 ? 'once' : `${handled} times`}`);
}
server.closeAllConnections();
server.close();
SHOW
cat >expected <<'SEEN'
status(503).send('busy'): 503, then 503, then 503; handled 3 times
json({ id: 1 }): 200, then 200, then 200; handled once
status(503).end(): 503, then 409, then 409; handled once
status(204).end(): 204, then 409, then 409; handled once
redirect(303, '/1'): 303, then 409, then 409; handled once
a stream: 200, then 409, then 409; handled once
an error: 500, then 409, then 409; handled once
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
