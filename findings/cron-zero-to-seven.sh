#!/usr/bin/env bash
# In cronosjs 1.7.1 the days of the week `0-7` (0 and 7 are Sunday, so: every day) are Sundays only, as if the
# 7 were a 0 before the range is read. `0-6` and `1-7` are every day. croner 10.0.1 fires every day for all three. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cronosjs@1.7.1 croner@10.0.1
cat >show.mjs <<'SHOW'
import { Cron } from 'croner';
import { CronosExpression } from 'cronosjs';

const from = new Date('2026-01-01T00:00:00Z');
const days = (dates) => dates.map((date) => date.toISOString().slice(0, 10)).join(' ');

for (const text of ['0 0 * * 0-6', '0 0 * * 1-7', '0 0 * * 0-7']) {
  const cronos = days(CronosExpression.parse(text, { timezone: 'UTC' }).nextNDates(from, 3));
  const croner = days(new Cron(text, { timezone: 'UTC' }).nextRuns(3, from));
  console.log(`${text}\n  cronosjs ${cronos}\n  croner   ${croner}`);
}
SHOW
cat >expected <<'SEEN'
0 0 * * 0-6
  cronosjs 2026-01-02 2026-01-03 2026-01-04
  croner   2026-01-02 2026-01-03 2026-01-04
0 0 * * 1-7
  cronosjs 2026-01-02 2026-01-03 2026-01-04
  croner   2026-01-02 2026-01-03 2026-01-04
0 0 * * 0-7
  cronosjs 2026-01-04 2026-01-11 2026-01-18
  croner   2026-01-02 2026-01-03 2026-01-04
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
