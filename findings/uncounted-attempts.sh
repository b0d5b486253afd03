#!/usr/bin/env bash
# Retries beyond the number that was set. @grammyjs/auto-retry 2.0.2 takes `maxRetryAttempts` for what Telegram refuses: a request that the network
# loses is repeated without an end, whatever the number is. AdaptiveRetryStrategy of @smithy/util-retry 4.6.2, the retries of the AWS
# SDK, takes the number of attempts as a function, and options: with both the function is never asked, and it is three, for one that
# says 1 as for one that says 6. Seen on Node 20.20.2, 2026-11-29, with delays of no length.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @grammyjs/auto-retry@2.0.2 grammy@1.46.0 @smithy/util-retry@4.6.2 @smithy/core@3.41.1
cat >show.mjs <<'SHOW'
import { autoRetry } from '@grammyjs/auto-retry';
import { AdaptiveRetryStrategy, DefaultRateLimiter, StandardRetryStrategy } from '@smithy/util-retry';
import { Api, HttpError } from 'grammy';

const wait = globalThis.setTimeout;
globalThis.setTimeout = (run) => wait(run, 0);

async function callsOf(answer) {
  let calls = 0;
  const api = new Api('1:none');
  api.config.use(async () => {
    calls += 1;
    if (calls === 20) throw new Error('enough');
    return answer();
  });
  api.config.use(autoRetry({ maxRetryAttempts: 1 }));
  const { message } = await api.getMe().catch((error) => error);
  return message === 'enough' ? '20 calls and no end' : `${calls} calls`;
}
const refused = () => ({ ok: false, error_code: 429, description: 'slow', parameters: { retry_after: 1 } });
const lost = () => {
  throw new HttpError('lost', new Error('ECONNRESET'));
};
console.log(`auto-retry, maxRetryAttempts 1, refused: ${await callsOf(refused)}`);
console.log(`auto-retry, maxRetryAttempts 1, lost in the network: ${await callsOf(lost)}`);

async function attemptsOf(strategy) {
  let token = await strategy.acquireInitialRetryToken('');
  for (let attempts = 1; ; attempts += 1) {
    try {
      token = await strategy.refreshRetryTokenForRetry(token, { error: new Error('busy'), errorType: 'TRANSIENT' });
    } catch {
      return attempts;
    }
  }
}
for (const maxAttempts of [1, 6]) {
  const ask = async () => maxAttempts;
  const rateLimiter = new DefaultRateLimiter();
  const strategies = {
    'standard, function': new StandardRetryStrategy(ask),
    'adaptive, function': new AdaptiveRetryStrategy(ask),
    'adaptive, number, rate limiter': new AdaptiveRetryStrategy(maxAttempts, { rateLimiter }),
    'adaptive, function, rate limiter': new AdaptiveRetryStrategy(ask, { rateLimiter }),
  };
  for (const [name, strategy] of Object.entries(strategies)) {
    console.log(`${name}: ${maxAttempts} asked for, attempts ${await attemptsOf(strategy)}`);
  }
}
process.exit();
SHOW
cat >expected <<'SEEN'
auto-retry, maxRetryAttempts 1, refused: 2 calls
auto-retry, maxRetryAttempts 1, lost in the network: 20 calls and no end
standard, function: 1 asked for, attempts 1
adaptive, function: 1 asked for, attempts 1
adaptive, number, rate limiter: 1 asked for, attempts 1
adaptive, function, rate limiter: 1 asked for, attempts 3
standard, function: 6 asked for, attempts 6
adaptive, function: 6 asked for, attempts 6
adaptive, number, rate limiter: 6 asked for, attempts 6
adaptive, function, rate limiter: 6 asked for, attempts 3
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
