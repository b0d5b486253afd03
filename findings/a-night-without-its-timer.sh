#!/usr/bin/env bash
# A night without its timer. Schedules of systemd 252 in a time zone whose clocks change: 02:30 in New York does not come on the night in which there
# is no 02:30, and what is due once a day runs after two days. When clocks go back, `hourly` pauses for two hours, from 01:00 in daylight time to
# 02:00, and each half hour for ninety minutes. In UTC none of it. Seen on 2026-11-30, on Debian 12.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
show() { # zone, from, schedule
  echo "$3 in $1: $(TZ="$1" systemd-analyze calendar --base-time="$2" --iterations=4 "$3" | sed -n 's/^ *\(Next elapse\|Iter. #[0-9]*\): //p' | sed 's/^... //; s/:00 / /' | paste -sd, | sed 's/,/, /g')"
}
{
  systemd-analyze --version | awk '{ print $1, $2; exit }'
  show America/New_York '2026-03-06 12:00:00' '02:30'
  show America/New_York '2026-10-31 23:30:00' hourly
  show America/New_York '2026-11-01 00:10:00' '*:00/30'
  show UTC '2026-11-01 23:30:00' hourly
} | tee seen
cat >expected <<'SEEN'
systemd 252
02:30 in America/New_York: 2026-03-07 02:30 EST, 2026-03-09 02:30 EDT, 2026-03-10 02:30 EDT, 2026-03-11 02:30 EDT
hourly in America/New_York: 2026-11-01 00:00 EDT, 2026-11-01 01:00 EDT, 2026-11-01 02:00 EST, 2026-11-01 03:00 EST
*:00/30 in America/New_York: 2026-11-01 00:30 EDT, 2026-11-01 01:00 EDT, 2026-11-01 01:30 EDT, 2026-11-01 02:00 EST
hourly in UTC: 2026-11-02 00:00 UTC, 2026-11-02 01:00 UTC, 2026-11-02 02:00 UTC, 2026-11-02 03:00 UTC
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
