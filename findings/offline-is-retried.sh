#!/usr/bin/env bash
# Retries that the documentation rules out. make-fetch-happen 15.0.6, the fetch of npm, lists the errors that it repeats and names a host
# that is not found, `ENOTFOUND`, as one that it does not, as the machine is then taken for offline. It repeats that and any error
# of a request that is no POST, as the condition with the list is the wrong way round, and calls `onRetry` once more than it retries. Who is
# offline, or has a typing error in a host, waits through all delays. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts make-fetch-happen@15.0.6
cat >show.mjs <<'SHOW'
import makeFetchHappen from 'make-fetch-happen';

let lookups = 0;
const lookup = (host, _options, callback) => {
  lookups += 1;
  callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }));
};
for (const method of ['GET', 'POST']) {
  lookups = 0;
  let notices = 0;
  const onRetry = () => {
    notices += 1;
  };
  const retry = { retries: 2, minTimeout: 20 };
  const error = await makeFetchHappen('http://nowhere.test/', { method, retry, onRetry, dns: { lookup } }).catch((thrown) => thrown);
  console.log(`${method}, retries 2: ${error.code}, lookups ${lookups}, onRetry ${notices}`);
}
SHOW
cat >expected <<'SEEN'
GET, retries 2: ENOTFOUND, lookups 3, onRetry 3
POST, retries 2: ENOTFOUND, lookups 1, onRetry 0
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
