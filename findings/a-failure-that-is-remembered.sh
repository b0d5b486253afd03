#!/usr/bin/env bash
# A failure that is remembered. A module that throws while it is loaded, because what it connects to is not up yet, is not loaded again in Node
# 20.20.2: each further `import()` of it, of a CommonJS file too, rejects with the first error, and five attempts of p-retry 7.1.1 run it once.
# `require` runs it again. `Effect.cached` and `Effect.cachedWithTTL` of effect 3.22.4 keep a failure like a value, the latter for its hour: a retry
# around them asks nobody. Seen on 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts p-retry@7.1.1 effect@3.22.4
cat >body <<'BODY'
globalThis.runs = (globalThis.runs ?? 0) + 1;
if (globalThis.runs < 3) throw new Error('not up yet');
BODY
cp body module.mjs
cp body module.cjs
cp body another.cjs
cat >show.mjs <<'SHOW'
import { createRequire } from 'node:module';
import { Effect, Schedule } from 'effect';
import pRetry from 'p-retry';

const require = createRequire(import.meta.url);
const load = async () => {
  globalThis.runs += 1;
  if (globalThis.runs < 3) throw new Error('not up yet');
};
const loads = {
  "import('./module.mjs')": () => import('./module.mjs'),
  "import('./another.cjs')": () => import('./another.cjs'),
  "require('./module.cjs')": async () => require('./module.cjs'),
};
for (const [name, load] of Object.entries(loads)) {
  globalThis.runs = 0;
  let attempts = 0;
  const end = await pRetry(() => ((attempts += 1), load()), { retries: 4, minTimeout: 100 }).then(() => 'loaded', ({ message }) => message);
  console.log(`${name}: ${attempts} attempts, it ran ${globalThis.runs} times, ${end}`);
}
for (const name of ['cached', 'cachedWithTTL']) {
  globalThis.runs = 0;
  const effect = Effect.gen(function* () {
    const attempt = Effect.tryPromise({ try: load, catch: ({ message }) => message });
    const remembered = yield* name === 'cached' ? Effect.cached(attempt) : Effect.cachedWithTTL(attempt, '1 hour');
    return yield* Effect.retry(remembered, Schedule.recurs(4));
  });
  const end = await Effect.runPromise(Effect.match(effect, { onSuccess: () => 'loaded', onFailure: (message) => message }));
  console.log(`${name} of effect: 5 attempts, it ran ${globalThis.runs} times, ${end}`);
}
SHOW
cat >expected <<'SEEN'
import('./module.mjs'): 5 attempts, it ran 1 times, not up yet
import('./another.cjs'): 5 attempts, it ran 1 times, not up yet
require('./module.cjs'): 3 attempts, it ran 3 times, loaded
cached of effect: 5 attempts, it ran 1 times, not up yet
cachedWithTTL of effect: 5 attempts, it ran 1 times, not up yet
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
