#!/usr/bin/env bash
# A year that is now. How long git 2.39.5 keeps its log of what branches were (`gc.reflogExpire`) is read as a date, and of a text that is none the parts
# that look like one are taken, without an error: `365`, as is `60 min`, is now, and all of the log is gone; `14`, `P14D` and `30 d` are that day of this
# month, `90` is the year 1990, `1.5 days` the first of May. `365 days` and `60 minutes` are what they say, and to `gc.rerereResolved` of the same
# section 365 is a year. Seen on 2026-11-30, on the git of Debian 12.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME="$folder" TZ=UTC GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@localhost GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@localhost
now="$(date --date '2026-11-20 12:00' +%s)" # what git takes for now, below
expiry() { date --date "@$(GIT_TEST_DATE_NOW="$now" git -c "gc.reflogExpire=$1" config --type=expiry-date gc.reflogExpire)" '+%F %T'; }
left() {
  git init --quiet "$1"
  for hours in 4 3 2; do GIT_COMMITTER_DATE="$((now - hours * 3600)) +0000" git -C "$1" commit --quiet --allow-empty --message order; done
  GIT_TEST_DATE_NOW="$now" git -C "$1" -c "gc.reflogExpire=$1" reflog expire --all
  git -C "$1" reflog | wc -l
}
resolved() { # of a conflict that was resolved a hundred days ago
  git init --quiet "resolved-$1"
  kept="resolved-$1/.git/rr-cache/$(printf '%040d' 1)"
  mkdir -p "$kept"
  touch --date '100 days ago' "$kept/preimage" "$kept/postimage"
  git -C "resolved-$1" -c "gc.rerereResolved=$1" rerere gc
  if [ -e "$kept/postimage" ]; then echo kept; else echo gone; fi
}
{
  git version
  for text in '365 days' 365 '60 minutes' '60 min' 14 P14D '30 d' 90 '1.5 days'; do echo "$text, on 2026-11-20 12:00:00: $(expiry "$text")"; done
  for text in '365 days' 365 '60 min'; do echo "gc.reflogExpire of $text: of a log of the last four hours $(left "$text") of 3 are left"; done
  for text in 365 60; do echo "gc.rerereResolved of $text: what is a hundred days old is $(resolved "$text")"; done
} | tee seen
cat >expected <<'SEEN'
git version 2.39.5
365 days, on 2026-11-20 12:00:00: 2025-11-20 12:00:00
365, on 2026-11-20 12:00:00: 2026-11-20 12:00:00
60 minutes, on 2026-11-20 12:00:00: 2026-11-20 11:00:00
60 min, on 2026-11-20 12:00:00: 2026-11-20 12:00:00
14, on 2026-11-20 12:00:00: 2026-11-14 12:00:00
P14D, on 2026-11-20 12:00:00: 2026-11-14 12:00:00
30 d, on 2026-11-20 12:00:00: 2026-11-30 12:00:00
90, on 2026-11-20 12:00:00: 1990-11-20 12:00:00
1.5 days, on 2026-11-20 12:00:00: 2026-05-01 12:00:00
gc.reflogExpire of 365 days: of a log of the last four hours 3 of 3 are left
gc.reflogExpire of 365: of a log of the last four hours 0 of 3 are left
gc.reflogExpire of 60 min: of a log of the last four hours 0 of 3 are left
gc.rerereResolved of 365: what is a hundred days old is kept
gc.rerereResolved of 60: what is a hundred days old is gone
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
