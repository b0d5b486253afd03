#!/usr/bin/env bash
# A breaker that stays half open. mollitia 0.1.1 decides by the answers of `permittedNumberOfCallsInHalfOpenState` calls, two by default, and
# decides when it has exactly as many. A call from before the breaker opened that ends only now is counted among them: after two late ones the
# number has been passed, no answer decides any more, and each call is refused, "Max allowed requests reached", for good, as `halfOpenStateMaxDelay`
# is none by default. Calls that hang longer than `openStateDelay` are what an outage looks like. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts mollitia@0.1.1
cat >show.mjs <<'SHOW'
import { Circuit, SlidingCountBreaker } from 'mollitia';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(name, slowCalls) {
  const endsAt = Date.now() + 1_500; // The outage ends while the breaker is open.
  const call = async (ms) => {
    const isDown = Date.now() < endsAt;
    await sleep(ms);
    if (isDown) throw new Error('down');
    return 'ok';
  };
  const breaker = new SlidingCountBreaker({ slidingWindowSize: 4, minimumNumberOfCalls: 4, openStateDelay: 1_000 });
  const circuit = new Circuit({ func: call, options: { modules: [breaker] } });
  const callOnce = (ms) => circuit.execute(ms).catch((error) => error.message);

  const late = Array.from({ length: slowCalls }, () => callOnce(2_000));
  await Promise.all([10, 10, 10, 10].map(callOnce));
  const { state } = breaker;
  await Promise.all([...late, sleep(2_500)]);
  const answers = [];
  for (let index = 0; index < 4; index += 1) answers.push(await callOnce(10));
  await sleep(5_000);
  answers.push(await callOnce(10));
  console.log(`${name}: ${state}, then ${answers.join(', ')}, in the end ${breaker.state}`);
  circuit.dispose();
}
await show('four failures', 0);
await show('four failures, two late ones', 2);
SHOW
cat >expected <<'SEEN'
four failures: opened, then ok, ok, ok, ok, ok, in the end closed
four failures, two late ones: opened, then ok, ok, Max allowed requests reached, Max allowed requests reached, Max allowed requests reached, in the end half-opened
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
