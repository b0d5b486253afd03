#!/usr/bin/env bash
# A window that never ends. moleculer 0.14.36 lets an action have a circuit breaker of its own, with a `windowTime` in seconds after which
# the counts begin anew. Only the options of the broker start that clock: if the breaker is on for the action alone, or the window of the
# broker is longer, the action counts since the process started, and 40 calls that went well two windows ago have to be outweighed by
# 40 failures where ten would do. The better a dependency was, the later it opens. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts moleculer@0.14.36
cat >show.mjs <<'SHOW'
import moleculer from 'moleculer';

const WINDOW_SECONDS = 1;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(name, ofBroker, ofAction) {
  let broken = false;
  const broker = new moleculer.ServiceBroker({ logger: false, circuitBreaker: ofBroker });
  const handler = () => {
    if (broken) throw new moleculer.Errors.MoleculerServerError('down', 503);
    return 'ok';
  };
  broker.createService({ name: 'stock', actions: { read: { circuitBreaker: ofAction, handler } } });
  await broker.start();
  for (let index = 0; index < 40; index += 1) await broker.call('stock.read');
  await sleep(2_500 * WINDOW_SECONDS);
  broken = true;
  let failures = 0;
  const isDown = (error) => error.code === 503 && error.message === 'down';
  while (await broker.call('stock.read').catch(isDown)) failures += 1;
  console.log(`${name}: open after ${failures} failures`);
  await broker.stop();
}

const breaker = { enabled: true, threshold: 0.5, minRequestCount: 10, windowTime: WINDOW_SECONDS, halfOpenTime: 60_000 };
const check = (error) => error.code >= 500;
await show('of the broker', { ...breaker, check }, undefined);
await show('of the action', { enabled: false }, { ...breaker, check });
await show('of both', { ...breaker, check, windowTime: 60 }, { windowTime: WINDOW_SECONDS });
process.exit();
SHOW
cat >expected <<'SEEN'
of the broker: open after 10 failures
of the action: open after 40 failures
of both: open after 40 failures
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
