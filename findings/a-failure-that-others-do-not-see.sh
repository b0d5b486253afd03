#!/usr/bin/env bash
# A failure that one caller sees. p-debounce 5.1.1 joins calls that follow one another: with `before: true` the first is made at once, and the
# others get its value. They get what is there when `wait` is over, which is nothing if the function takes longer than that, and nothing if it
# fails: the first caller is told of the error, and all others that they have succeeded, with undefined. Without the option each of them gets the
# answer or the error, however long it takes. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts p-debounce@5.1.1
cat >show.mjs <<'SHOW'
import pDebounce from 'p-debounce';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(name, answer, options) {
  let calls = 0;
  const debounced = pDebounce(
    async () => {
      calls += 1;
      return answer();
    },
    200,
    options,
  );
  const outcomes = await Promise.allSettled([debounced(), debounced(), debounced()]);
  const texts = outcomes.map(({ reason, value }) => (reason ? `rejects with ${reason.message}` : `resolves with ${value}`));
  console.log(`${name}: called ${calls} time, ${texts.join(', ')}`);
}
const slow = () => sleep(600).then(() => 'saved');
const failing = () => Promise.reject(new Error('busy'));
for (const before of [false, true]) {
  await show(`before: ${before}, fast`, () => 'saved', { before });
  await show(`before: ${before}, slow`, slow, { before });
  await show(`before: ${before}, failing`, failing, { before });
}
SHOW
cat >expected <<'SEEN'
before: false, fast: called 1 time, resolves with saved, resolves with saved, resolves with saved
before: false, slow: called 1 time, resolves with saved, resolves with saved, resolves with saved
before: false, failing: called 1 time, rejects with busy, rejects with busy, rejects with busy
before: true, fast: called 1 time, resolves with saved, resolves with saved, resolves with saved
before: true, slow: called 1 time, resolves with saved, resolves with undefined, resolves with undefined
before: true, failing: called 1 time, rejects with busy, resolves with undefined, resolves with undefined
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
