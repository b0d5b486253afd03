#!/usr/bin/env bash
# Six fields in two orders. A pattern of six fields begins with the seconds to cron-parser 5.10.6 and croner 11.0.1, and ends with them to croniter
# 1.3.5, by which Airflow and others read cron in Python. Both read the same text without an error: Mondays at nine, `0 0 9 * * 1`, are the 9th of
# each month there, one second after midnight, and each quarter of a minute is each second of each quarter of an hour. Seen on Node 20.20.2,
# 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download python3-croniter=1.3.5-3 python3-dateutil python3-tz python3-six >/dev/null 2>&1
for package in *.deb; do dpkg-deb --extract "$package" debian; done
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cron-parser@5.10.6 croner@11.0.1
cat >show.py <<'SHOW'
import sys
from datetime import datetime
from croniter import croniter
at = croniter(sys.argv[1], datetime(2026, 11, 29))
print(', '.join(at.get_next(datetime).isoformat() for _ in range(3)))
SHOW
cat >show.mjs <<'SHOW'
import { execFileSync } from 'node:child_process';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';

const from = new Date('2026-11-29T00:00:00Z');
const iso = (dates) => dates.map((date) => new Date(date).toISOString().slice(0, 19)).join(', ');
const readers = {
  'cron-parser': (text) => {
    const parsed = CronExpressionParser.parse(text, { currentDate: from, tz: 'UTC' });
    return iso(Array.from({ length: 3 }, () => parsed.next().toDate()));
  },
  croner: (text) => iso(new Cron(text, { timezone: 'UTC' }).nextRuns(3, from)),
  croniter: (text) => execFileSync('/usr/bin/python3', ['show.py', text], { env: { PYTHONPATH: 'debian/usr/lib/python3/dist-packages' }, encoding: 'utf8' }).trim(),
};
for (const text of ['0 0 9 * * 1', '*/15 * * * * *'])
  for (const [name, read] of Object.entries(readers)) console.log(`${text}, ${name}: ${read(text)}`);
SHOW
cat >expected <<'SEEN'
0 0 9 * * 1, cron-parser: 2026-11-30T09:00:00, 2026-12-07T09:00:00, 2026-12-14T09:00:00
0 0 9 * * 1, croner: 2026-11-30T09:00:00, 2026-12-07T09:00:00, 2026-12-14T09:00:00
0 0 9 * * 1, croniter: 2026-12-09T00:00:01, 2027-01-09T00:00:01, 2027-02-09T00:00:01
*/15 * * * * *, cron-parser: 2026-11-29T00:00:15, 2026-11-29T00:00:30, 2026-11-29T00:00:45
*/15 * * * * *, croner: 2026-11-29T00:00:15, 2026-11-29T00:00:30, 2026-11-29T00:00:45
*/15 * * * * *, croniter: 2026-11-29T00:00:01, 2026-11-29T00:00:02, 2026-11-29T00:00:03
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
