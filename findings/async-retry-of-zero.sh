#!/usr/bin/env bash
# async 3.2.6: `retry({ times: 0 })` calls the function five times, its default, as a zero is taken for an option that is not
# given; `times: 1` calls it once. Who counts retries and writes 0 for "none" gets four. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts async@3.2.6
cat >show.mjs <<'SHOW'
import async from 'async';

for (const times of [1, 0]) {
  let calls = 0;
  const fail = async () => {
    calls += 1;
    throw new Error('busy');
  };
  await async.retry({ times, interval: 1 }, fail).catch(() => undefined);
  console.log(`times: ${times}, calls: ${calls}`);
}
SHOW
cat >expected <<'SEEN'
times: 1, calls: 1
times: 0, calls: 5
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
