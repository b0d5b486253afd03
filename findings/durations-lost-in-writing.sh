#!/usr/bin/env bash
# Durations that become others when they are written. date-fns 4.4.0 leaves the weeks of a duration out of `formatISODuration`, though its type
# has them and its other functions count them: two weeks are no time. dayjs 1.11.23 writes parts of different signs without their signs
# and one minus before the whole: an hour less 30 minutes, 30 minutes ahead, is 90 minutes ago. The text is valid, and luxon 3.7.2 reads
# it as it stands: a delay or a retention that was stored so is gone. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts date-fns@4.4.0 dayjs@1.11.23 luxon@3.7.2
cat >show.mjs <<'SHOW'
import { formatISODuration, milliseconds } from 'date-fns';
import dayjs from 'dayjs';
import duration from 'dayjs/plugin/duration.js';
import { Duration } from 'luxon';

dayjs.extend(duration);

const show = (writer, parts, meant, text) => {
  const read = Duration.fromISO(text).as('seconds');
  console.log(`${writer} ${JSON.stringify(parts)}: ${meant} s, written ${text}, read as ${read} s`);
};
for (const parts of [{ weeks: 2 }, { weeks: 1, days: 1 }, { hours: 1, minutes: 30 }]) {
  show('date-fns', parts, milliseconds(parts) / 1_000, formatISODuration(parts));
}
for (const parts of [{ hours: 1, minutes: -30 }, { days: 1, hours: -1 }, { hours: 1, minutes: 30 }]) {
  const value = dayjs.duration(parts);
  show('dayjs', parts, value.asSeconds(), value.toISOString());
}
SHOW
cat >expected <<'SEEN'
date-fns {"weeks":2}: 1209600 s, written P0Y0M0DT0H0M0S, read as 0 s
date-fns {"weeks":1,"days":1}: 691200 s, written P0Y0M1DT0H0M0S, read as 86400 s
date-fns {"hours":1,"minutes":30}: 5400 s, written P0Y0M0DT1H30M0S, read as 5400 s
dayjs {"hours":1,"minutes":-30}: 1800 s, written -PT1H30M, read as -5400 s
dayjs {"days":1,"hours":-1}: 82800 s, written -P1DT1H, read as -90000 s
dayjs {"hours":1,"minutes":30}: 5400 s, written PT1H30M, read as 5400 s
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
