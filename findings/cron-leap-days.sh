#!/usr/bin/env bash
# cron 4.4.0: `sendAt(n)` looks for each of the n dates within eight years of today, not of the date before. Of `0 0 29 2 *`, which
# comes every four years, it returns the next one, and for the next four throws that there is no date. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cron@4.4.0
cat >show.mjs <<'SHOW'
import { CronTime } from 'cron';

for (const count of [1, 4]) {
  try {
    const dates = [new CronTime('0 0 29 2 *', 'UTC').sendAt(count)].flat();
    console.log(count, dates.every((date) => date.month === 2 && date.day === 29) ? 'a 29th of February' : 'another day');
  } catch (error) {
    console.log(count, String(error.message).split('\n')[0]);
  }
}
SHOW
cat >expected <<'SEEN'
1 a 29th of February
4 Something went wrong. No execution date was found in the next 8 years.
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
