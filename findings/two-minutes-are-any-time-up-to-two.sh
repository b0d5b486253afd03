#!/usr/bin/env bash
# Two minutes are any time up to two. `backoff.runtime` of backoff 2.2.1, the library of Python, waits for what an answer says, as by its `Retry-After`.
# Jitter is on by default there too, as for delays of one's own, and draws from nothing to that: told to stay away for 120 seconds, most of 1000 clients
# are back within 90, and some within ten, each time before the server wants them. `jitter=None`, which its example has, waits for all of it. Seen on
# 2026-11-30, on Debian 12, with a clock that does not wait.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download python3-backoff=2.2.1-1 >/dev/null 2>&1
dpkg-deb --extract python3-backoff_*.deb debian
cat >show.py <<'SHOW'
import time

import backoff

waited = []
time.sleep = waited.append


def show(name, **options):
    waited.clear()

    @backoff.on_predicate(backoff.runtime, predicate=lambda answer: answer['status'] == 429, value=lambda answer: int(answer['retry-after']), max_tries=2, **options)
    def ask():
        return {'status': 429, 'retry-after': '120'}

    for _ in range(1000):
        ask()
    early = sum(seconds < 119 for seconds in waited)
    words = 'none' if early == 0 else 'nearly all' if early > 950 else 'some'
    shortest, longest = min(waited), max(waited)
    print(f"{name}: of {len(waited)} waits {words} are shorter than it says, the shortest {'below 10 s' if shortest < 10 else f'{shortest} s'}, the longest {'beyond 120 s' if longest > 120 else '120 s at most'}")


show('by default')
show('jitter=None', jitter=None)
show('random_jitter', jitter=backoff.random_jitter)
SHOW
PYTHONPATH=debian/usr/lib/python3/dist-packages /usr/bin/python3 show.py | sed 's/the shortest 120\.[0-9]* s/the shortest beyond 120 s/' | tee seen
cat >expected <<'SEEN'
by default: of 1000 waits nearly all are shorter than it says, the shortest below 10 s, the longest 120 s at most
jitter=None: of 1000 waits none are shorter than it says, the shortest 120 s, the longest 120 s at most
random_jitter: of 1000 waits none are shorter than it says, the shortest beyond 120 s, the longest beyond 120 s
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
