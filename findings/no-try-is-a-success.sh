#!/usr/bin/env bash
# No try, and a success. `retry` 1.0.5 of Debian 12 repeats a command, by its manual `--times` times. Three are three runs and no more, and 0, which means
# no retry elsewhere, is no run: the command is not begun, and the end is a success, `&&` goes on. 1 is the one that does not repeat. And after the last
# failure it says that it is "trying again", waits for the whole delay once more, ten seconds by default, and ends. Seen on 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download retry=1.0.5-3 >/dev/null 2>&1
dpkg-deb --extract retry_*.deb debian
show() {
  name="$1"
  shift
  rm -f runs said
  touch runs
  start="$(date +%s%N)"
  code=0
  debian/usr/bin/retry "$@" -- sh -c 'date +%s%N >>runs; exit 3' 2>said || code=$?
  end="$(date +%s%N)"
  last="$(tail -n 1 runs)"
  waited="$(( (end - ${last:-$end} + 500000000) / 1000000000 ))"
  echo "$name: $(wc -l <runs) runs, ends with $code, $waited s after the last; says \"trying again\" $(grep -c 'trying again' said) times"
}
{
  show '--times 3 --delay 2' --times 3 --delay 2
  show '--times 1 --delay 2' --times 1 --delay 2
  show '--times 0 --delay 2' --times 0 --delay 2
} | tee seen
cat >expected <<'SEEN'
--times 3 --delay 2: 3 runs, ends with 3, 2 s after the last; says "trying again" 3 times
--times 1 --delay 2: 1 runs, ends with 3, 2 s after the last; says "trying again" 1 times
--times 0 --delay 2: 0 runs, ends with 0, 0 s after the last; says "trying again" 0 times
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
