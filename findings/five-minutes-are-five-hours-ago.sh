#!/usr/bin/env bash
# Five minutes later are five hours ago. `date` of coreutils 9.1 takes a sign behind a time of day for a time zone: `10:00 + 5 minutes` is 10:00 at
# +05:00, which is 05:00, and one minute. An hour later is the same instant, and a day later, 23 hours; the first one is how a script computes when
# something is due. Without the sign, after a date alone, or behind a `Z`, it is five minutes. No error. Seen on 2026-11-30, on Debian 12, in UTC.
set -euo pipefail
export TZ=UTC LC_ALL=C
show() { echo "$1: $(date --date="$1" '+%F %T' 2>&1)"; }
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
{
  date --version | head -1
  show '2026-11-30 10:00 + 5 minutes'
  show '2026-11-30 10:00 - 5 minutes'
  show '2026-11-30 10:00 + 1 hour'
  show '2026-11-30 10:00 + 1 day'
  show '2026-11-30 10:00 5 minutes'
  show '2026-11-30T10:00Z + 5 minutes'
  show '2026-11-30 + 5 minutes'
} | tee seen
cat >expected <<'SEEN'
date (GNU coreutils) 9.1
2026-11-30 10:00 + 5 minutes: 2026-11-30 05:01:00
2026-11-30 10:00 - 5 minutes: 2026-11-30 15:01:00
2026-11-30 10:00 + 1 hour: 2026-11-30 10:00:00
2026-11-30 10:00 + 1 day: 2026-12-01 09:00:00
2026-11-30 10:00 5 minutes: 2026-11-30 10:05:00
2026-11-30T10:00Z + 5 minutes: 2026-11-30 10:05:00
2026-11-30 + 5 minutes: 2026-11-30 00:05:00
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
