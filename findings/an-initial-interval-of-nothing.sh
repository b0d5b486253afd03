#!/usr/bin/env bash
# An initial interval of nothing. SDKs made by Speakeasy, here @mistralai/mistralai 2.7.0, have an `exponent` that does not raise a power but is one:
# the delays are `initialInterval` times 0, 1, 2, 3 … to the `exponent`, plus up to a second. So the first retry comes within that second, whatever
# the interval is, five seconds or a minute, and an exponent of 2 waits for 0, 1, 4 and 9 times the interval where doubling has 1, 2, 4, 8. Seen on
# Node 20.20.2, 2026-11-30, with dice that always show none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @mistralai/mistralai@2.7.0
cat >show.mjs <<'SHOW'
import { Mistral } from '@mistralai/mistralai';
import { HTTPClient } from '@mistralai/mistralai/lib/http.js';

Math.random = () => 0; // no jitter, which is up to a second

async function show(initialInterval, exponent) {
  const times = [];
  const fetcher = async () => {
    times.push(performance.now());
    return new Response('{}', { status: 503, headers: { 'content-type': 'application/json' } });
  };
  const backoff = { initialInterval, exponent, maxInterval: 60_000, maxElapsedTime: 9_000 };
  const client = new Mistral({ apiKey: 'key', httpClient: new HTTPClient({ fetcher }), retryConfig: { strategy: 'backoff', backoff } });
  await client.models.list().catch(() => undefined);
  const delays = times.slice(1).map((at, index) => ((at - times[index]) / 1_000).toFixed(1));
  console.log(`initialInterval ${initialInterval}, exponent ${exponent}: retries after ${delays.join(', ')} s`);
}
await Promise.all([show(1_000, 2), show(5_000, 1.5)]);
SHOW
cat >expected <<'SEEN'
initialInterval 1000, exponent 2: retries after 0.0, 1.0, 4.0, 9.0 s
initialInterval 5000, exponent 1.5: retries after 0.0, 5.0, 14.1 s
SEEN
TZ=UTC node show.mjs | sort | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
