#!/usr/bin/env bash
# A second late is never. A job of APScheduler 3.9.1 that begins more than a second after its time, `misfire_grace_time`, is not run: a schedule waits for
# its next time, and a job for one date, a retry in half a second or a reminder, has none and is removed. The wait for a thread of the pool counts: while
# one slow job has the only thread for three seconds, the two that were due meanwhile are gone, and the third, which was due when it ended, runs. A
# pool of ten is the same with ten slow jobs. A warning of the log is all; `misfire_grace_time=None` runs all three. Seen on 2026-11-30, on Debian 12.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download python3-apscheduler=3.9.1-2 python3-tz python3-tzlocal python3-pytz-deprecation-shim python3-dateutil python3-six python3-pkg-resources >/dev/null 2>&1
for package in *.deb; do dpkg-deb --extract "$package" debian; done
cat >show.py <<'SHOW'
import time
from datetime import datetime, timedelta

import pytz
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler


def show(name, options):
    scheduler = BackgroundScheduler(executors={'default': ThreadPoolExecutor(1)}, job_defaults=options, timezone=pytz.utc)
    scheduler.start()
    now = datetime.now(pytz.utc)
    ran = []
    scheduler.add_job(time.sleep, 'date', args=[3], run_date=now + timedelta(seconds=0.2))
    for number, seconds in enumerate([0.5, 1, 3], start=1):
        scheduler.add_job(ran.append, 'date', args=[f'job {number}'], run_date=now + timedelta(seconds=seconds))
    time.sleep(5)
    print(f"{name}: {', '.join(ran)} ran, {len(scheduler.get_jobs())} wait")


show('by default', {})
show('misfire_grace_time=None', {'misfire_grace_time': None})
SHOW
PYTHONPATH=debian/usr/lib/python3/dist-packages /usr/bin/python3 show.py 2>/dev/null | tee seen
cat >expected <<'SEEN'
by default: job 3 ran, 0 wait
misfire_grace_time=None: job 1, job 2, job 3 ran, 0 wait
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
