#!/usr/bin/env bash
# ISO 8601 durations of one library read by another. dayjs 1.11.23 takes the comma, the first decimal sign of ISO 8601 and the one that
# duration-fns 3.0.2 writes, for none: "PT1,5S" is 0 ms, "PT1M30,5S" a minute. dayjs and iso8601-duration 2.1.4 lose a minus before the
# P, which dayjs itself writes: "-PT1M30S" is 90 seconds ahead. luxon 3.7.2 reads all of them. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts dayjs@1.11.23 duration-fns@3.0.2 iso8601-duration@2.1.4 luxon@3.7.2
cat >show.mjs <<'SHOW'
import dayjs from 'dayjs';
import duration from 'dayjs/plugin/duration.js';
import { toString } from 'duration-fns';
import { parse, toSeconds } from 'iso8601-duration';
import { Duration } from 'luxon';

dayjs.extend(duration);

const written = {
  'duration-fns': toString({ milliseconds: 1_500 }),
  'duration-fns, longer': toString({ minutes: 1, milliseconds: 30_500 }),
  dayjs: dayjs.duration(-90_000).toISOString(),
};
for (const [writer, text] of Object.entries(written)) {
  const read = {
    dayjs: dayjs.duration(text).asSeconds(),
    'iso8601-duration': toSeconds(parse(text)),
    luxon: Duration.fromISO(text).as('seconds'),
  };
  const seconds = Object.entries(read).map(([reader, value]) => `${reader} ${value} s`);
  console.log(`${text} (${writer}): ${seconds.join(', ')}`);
}
SHOW
cat >expected <<'SEEN'
PT1,5S (duration-fns): dayjs 0 s, iso8601-duration 1.5 s, luxon 1.5 s
PT1M30,5S (duration-fns, longer): dayjs 60 s, iso8601-duration 90.5 s, luxon 90.5 s
-PT1M30S (dayjs): dayjs 90 s, iso8601-duration 90 s, luxon -90 s
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
