#!/usr/bin/env bash
# December in November. systemd-cron 1.15.19 of Debian 12 takes the place of cron, and makes a timer of each line of a crontab. In its list of the names
# of months there is no October: a job of `dec` is due on the first of November, one of `nov` in October, and one of `oct` never; 12 is December. From
# Friday to Sunday, `5-7`, is each day, since 7 is 0 before the range is read. Where both days are given, cron takes a day that is either of them, and
# this one a day that is both: `1 * mon` runs on a 1st that is a Monday. A line of its log names `oct` and `5-7`, and nothing the others. Seen on
# 2026-11-30, on Debian 12, with systemd 252.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download systemd-cron=1.15.19-5 >/dev/null 2>&1
dpkg-deb --extract systemd-cron_*.deb debian
cat >timer.py <<'SHOW'
# Prints the calendar of the timer that the generator writes for one line of a crontab.
import re
import runpy
import sys

generator = runpy.run_path('debian/lib/systemd/system-generators/systemd-crontab-generator')
made = generator['generate_timer_unit']
made.__globals__.update(TARGET_DIR='.', TIMERS_DIR='.')
with open('crontab', 'w') as crontab:
    crontab.write(sys.argv[1] + ' true\n')
for job in generator['parse_crontab']('crontab', withuser=False):
    name = made(job, seq=iter('0'))
    print(re.search('OnCalendar=(.*)', open(name).read()).group(1).strip() if name else '')
SHOW
show() {
  calendar="$(/usr/bin/python3 timer.py "$1" 2>/dev/null)"
  if [ -z "$calendar" ]; then
    echo "$1: never"
  else
    echo "$1: $(TZ=UTC systemd-analyze calendar --base-time='2026-01-01 00:00:00' --iterations=3 "$calendar" | sed -n 's/^ *\(Next elapse\|Iter. #[0-9]*\): //p' | sed 's/ 09:00:00 UTC//' | paste -sd, | sed 's/,/, /g')"
  fi
}
{
  dpkg-deb --field systemd-cron_*.deb Version
  show '0 9 1 12 *'
  show '0 9 1 dec *'
  show '0 9 1 nov *'
  show '0 9 1 oct *'
  show '0 9 1 sep *'
  show '0 9 * * 5,6,0'
  show '0 9 * * 5-7'
  show '0 9 1 * mon'
} | tee seen
cat >expected <<'SEEN'
1.15.19-5
0 9 1 12 *: Tue 2026-12-01, Wed 2027-12-01, Fri 2028-12-01
0 9 1 dec *: Sun 2026-11-01, Mon 2027-11-01, Wed 2028-11-01
0 9 1 nov *: Thu 2026-10-01, Fri 2027-10-01, Sun 2028-10-01
0 9 1 oct *: never
0 9 1 sep *: Tue 2026-09-01, Wed 2027-09-01, Fri 2028-09-01
0 9 * * 5,6,0: Fri 2026-01-02, Sat 2026-01-03, Sun 2026-01-04
0 9 * * 5-7: Thu 2026-01-01, Fri 2026-01-02, Sat 2026-01-03
0 9 1 * mon: Mon 2026-06-01, Mon 2027-02-01, Mon 2027-03-01
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
