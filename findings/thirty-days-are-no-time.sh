#!/usr/bin/env bash
# A duration of thirty days that is over at once, as it does not fit a timer of 2^31 ms. rate-limiter-flexible 11.4.0 (`RateLimiterMemory`)
# forgets a monthly limit, and a block for a month, after a moment; the breaker of opossum 9.0.0 with that `resetTimeout` calls the
# dependency each time; `after` of xstate 5.33.3, `timer` and `interval` of rxjs 7.8.2 and p-timeout 7.0.2 fire at once. No error:
# a warning of Node is all. effect 3.22.4 and delay 7.0.0 wait. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts rate-limiter-flexible@11.4.0 opossum@9.0.0 xstate@5.33.3 rxjs@7.8.2 p-timeout@7.0.2 effect@3.22.4 delay@7.0.0
cat >show.mjs <<'SHOW'
import delay from 'delay';
import { Effect } from 'effect';
import Opossum from 'opossum';
import pTimeout from 'p-timeout';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { interval, timer } from 'rxjs';
import { createActor, createMachine } from 'xstate';

const DAYS_S = 30 * 24 * 3_600;
const DAYS_MS = DAYS_S * 1_000;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function whether(name, start) {
  let isOver = false;
  start(() => {
    isOver = true;
  });
  await sleep(100);
  console.log(`${name}: thirty days are ${isOver ? 'over' : 'not over'} after 100 ms`);
}

async function limit(name, options, calls) {
  const limiter = new RateLimiterMemory({ points: 1, ...options });
  await whether(name, async (over) => {
    for (let index = 0; index < calls; index += 1) await limiter.consume('user').catch(() => undefined);
    await sleep(50);
    await limiter.consume('user').then(over, () => undefined);
  });
}

await limit('rate-limiter-flexible, duration', { duration: DAYS_S }, 1);
await limit('rate-limiter-flexible, blockDuration', { duration: 1, blockDuration: DAYS_S }, 2);
await whether('opossum, resetTimeout', (over) => {
  const breaker = new Opossum(() => Promise.reject(new Error('down')), { resetTimeout: DAYS_MS });
  breaker.on('halfOpen', over);
  breaker.fire().catch(() => undefined);
});
await whether('xstate, after', (over) => {
  const states = { waiting: { after: { [DAYS_MS]: 'over' } }, over: { entry: over } };
  createActor(createMachine({ initial: 'waiting', states })).start();
});
await whether('rxjs, timer', (over) => timer(new Date(Date.now() + DAYS_MS)).subscribe(over));
await whether('rxjs, interval', (over) => interval(DAYS_MS).subscribe(over));
await whether('p-timeout', (over) => pTimeout(new Promise(() => undefined), { milliseconds: DAYS_MS }).catch(over));
await whether('effect', (over) => Effect.runFork(Effect.andThen(Effect.sleep(DAYS_MS), Effect.sync(over))));
await whether('delay', (over) => delay(DAYS_MS).then(over));
process.exit();
SHOW
cat >expected <<'SEEN'
rate-limiter-flexible, duration: thirty days are over after 100 ms
rate-limiter-flexible, blockDuration: thirty days are over after 100 ms
opossum, resetTimeout: thirty days are over after 100 ms
xstate, after: thirty days are over after 100 ms
rxjs, timer: thirty days are over after 100 ms
rxjs, interval: thirty days are over after 100 ms
p-timeout: thirty days are over after 100 ms
effect: thirty days are not over after 100 ms
delay: thirty days are not over after 100 ms
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
