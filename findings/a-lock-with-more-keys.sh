#!/usr/bin/env bash
# A lock that lets one more in for each overrun. With `maxExecutionTime` async-lock 1.5.0 rejects a call that holds the lock for too long and gives
# the lock to the next one, though the function still runs. When that ends at last, the lock is given away again, which by now is held by somebody
# else: from then on two run at the same time until nobody waits, after two overruns three. One slow moment is enough for a queue that never gets
# empty to have no lock any more. Without the option one runs at a time. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts async-lock@1.5.0
cat >show.mjs <<'SHOW'
import AsyncLock from 'async-lock';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(name, overruns, options) {
  const lock = new AsyncLock(options);
  let running = 0;
  let mostAtTheEnd = 0;
  const hold = (ms, isLate) =>
    lock
      .acquire('account', async () => {
        running += 1;
        if (isLate) mostAtTheEnd = Math.max(mostAtTheEnd, running);
        await sleep(ms);
        running -= 1;
      })
      .catch(() => undefined);
  const slow = Array.from({ length: overruns }, () => hold(400, false));
  const fast = Array.from({ length: 30 }, (_, index) => hold(20, index >= 20));
  await Promise.all([...slow, ...fast]);
  console.log(`${name}: the last ten run ${mostAtTheEnd} at a time`);
}
await show('no limit, three slow ones', 3, {});
for (const overruns of [0, 1, 2, 3]) await show(`a limit of 300 ms, ${overruns} of them above it`, overruns, { maxExecutionTime: 300 });
SHOW
cat >expected <<'SEEN'
no limit, three slow ones: the last ten run 1 at a time
a limit of 300 ms, 0 of them above it: the last ten run 1 at a time
a limit of 300 ms, 1 of them above it: the last ten run 2 at a time
a limit of 300 ms, 2 of them above it: the last ten run 3 at a time
a limit of 300 ms, 3 of them above it: the last ten run 4 at a time
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
