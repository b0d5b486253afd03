#!/usr/bin/env bash
# An abort that is retried. fetch-retry 6.0.0, the retry middleware of wretch 2.11.1 (`retryOnNetworkError`) and make-fetch-happen 15.0.6, the
# fetch of npm, take the error of an aborted `signal` for one more failure: nothing is sent any more, yet the call rejects only when all
# delays are over, three seconds later with the defaults of fetch-retry. Who aborts at a deadline or for a shutdown waits for
# nothing. ky 1.14.3 rejects at once. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts fetch-retry@6.0.0 wretch@2.11.1 make-fetch-happen@15.0.6 ky@1.14.3
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import fetchRetry from 'fetch-retry';
import ky from 'ky';
import makeFetchHappen from 'make-fetch-happen';
import wretch from 'wretch';
import { retry } from 'wretch/middlewares/retry';

const DELAY_MS = 600;
let requests = 0;
const server = createServer(() => {
  requests += 1;
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;

async function show(name, run) {
  requests = 0;
  const controller = new AbortController();
  const call = run(controller.signal).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const aborted = performance.now();
  controller.abort();
  await call;
  const delays = Math.round((performance.now() - aborted) / DELAY_MS);
  console.log(`${name}: requests ${requests}, rejects ${delays === 0 ? 'at once' : `${delays} delays after the abort`}`);
}

await show('fetch-retry', (signal) => fetchRetry(fetch, { retries: 3, retryDelay: DELAY_MS })(url, { signal }));
await show('wretch', (signal) => {
  const middleware = retry({ maxAttempts: 3, delayTimer: DELAY_MS, delayRamp: (delay) => delay, retryOnNetworkError: true });
  return wretch(url).middlewares([middleware]).options({ signal }).get().res();
});
await show('make-fetch-happen', (signal) =>
  makeFetchHappen(url, { signal, retry: { retries: 3, minTimeout: DELAY_MS, factor: 1 } }),
);
await show('ky', (signal) => ky(url, { signal, retry: { limit: 3, delay: () => DELAY_MS } }));
process.exit();
SHOW
cat >expected <<'SEEN'
fetch-retry: requests 1, rejects 3 delays after the abort
wretch: requests 1, rejects 3 delays after the abort
make-fetch-happen: requests 1, rejects 3 delays after the abort
ky: requests 1, rejects at once
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
