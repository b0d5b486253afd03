#!/usr/bin/env bash
# A tenth of nine is none. @d-fischer/rate-limiter 1.1.0, below the Twitch client Twurple, has a limiter that learns a server's limit from its
# answers, and lets the calls that wait go on in batches of a tenth of it. Below ten that is less than one: with a limit of nine the calls
# that waited for the first answer are never made, however many are left of the nine, and each new call passes them by. With ten all of
# them are made. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @d-fischer/rate-limiter@1.1.0
cat >show.mjs <<'SHOW'
import { ResponseBasedRateLimiter } from '@d-fischer/rate-limiter';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Limiter extends ResponseBasedRateLimiter {
  constructor(limit) {
    super({ logger: { minLevel: 'critical' } });
    this.limit = limit;
    this.called = [];
  }

  async doRequest(name) {
    this.called.push(name);
    await sleep(10);
  }

  needsToRetryAfter() {
    return null;
  }

  getParametersFromResponse() {
    return { limit: this.limit, remaining: this.limit - this.called.length, resetsAt: Date.now() + 1_000 };
  }
}

for (const limit of [10, 9]) {
  const limiter = new Limiter(limit);
  for (const name of ['first', 'second', 'third']) limiter.request(name).catch(() => undefined);
  await sleep(3_000);
  await limiter.request('a later one');
  await sleep(2_000);
  console.log(`limit ${limit}, ${limiter.stats.lastKnownRemainingRequests} left, called: ${limiter.called.join(', ')}`);
}
SHOW
cat >expected <<'SEEN'
limit 10, 6 left, called: first, second, third, a later one
limit 9, 7 left, called: first, a later one
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
