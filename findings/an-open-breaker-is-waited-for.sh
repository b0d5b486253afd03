#!/usr/bin/env bash
# A breaker that does not spare anybody the wait. `resilience` of @sap-cloud-sdk/resilience 4.9.1 joins retry, circuit breaker and timeout by options,
# with the retry around the breaker. The refusal of an open breaker has no status, and what has none is repeated: a call that should fail at once
# fails after the delays of all retries, here more than six seconds for `retry: 3`, and has reached nothing. What is never repeated is each status
# from 400 to 499, so 429 and 408 too, and its error is another one with a retry than without, `error.response` is gone. Seen on Node 20.20.2,
# 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @sap-cloud-sdk/resilience@4.9.1 axios@1.21.1
cat >show.mjs <<'SHOW'
import { resilience } from '@sap-cloud-sdk/resilience';
import { executeWithMiddleware } from '@sap-cloud-sdk/resilience/internal.js';
import { AxiosError } from 'axios';

async function send(status, options) {
  let requests = 0;
  const request = async () => {
    requests += 1;
    throw new AxiosError(`status ${status}`, 'ERR_BAD_RESPONSE', {}, {}, { status, headers: {} });
  };
  const startedAt = Date.now();
  const parameters = { fn: request, context: { uri: 'https://erp.example', tenantId: 'tenant' }, fnArgument: {} };
  const error = await executeWithMiddleware(resilience(options), parameters).catch((caught) => caught);
  const isLong = Date.now() - startedAt > 6_000;
  return `${requests} requests, "${error.message}", response.status ${error.response?.status}, ${isLong ? 'more than six seconds' : 'at once'}`;
}
console.log(`429, no retry: ${await send(429, { retry: false, circuitBreaker: false })}`);
console.log(`429, retry 3: ${await send(429, { retry: 3, circuitBreaker: false })}`);
for (let index = 0; index < 10; index += 1) await send(503, { retry: false });
console.log(`open breaker, no retry: ${await send(503, { retry: false })}`);
console.log(`open breaker, retry 3: ${await send(503, { retry: 3 })}`);
SHOW
cat >expected <<'SEEN'
429, no retry: 1 requests, "status 429", response.status 429, at once
429, retry 3: 1 requests, "Request failed with status code 429", response.status undefined, at once
open breaker, no retry: 0 requests, "Breaker is open", response.status undefined, at once
open breaker, retry 3: 0 requests, "Breaker is open", response.status undefined, more than six seconds
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
