#!/usr/bin/env bash
# Five retries of nothing. @zmotivat0r/o0 1.0.2 turns the outcome of a promise into an error and a value, and its documentation adds `retry: 5` to
# that. A promise has one outcome: what is repeated is the waiting for it, and the work is done once, however many retries are set. The error comes
# as if they had been made. And they are counted in the options: those that two calls share have none left for the second, which nobody can notice.
# Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @zmotivat0r/o0@1.0.2
cat >show.mjs <<'SHOW'
import { oO } from '@zmotivat0r/o0';

let calls = 0;
const wellTheSecondTime = async () => {
  calls += 1;
  if (calls === 1) throw new Error('busy');
  return 'projects';
};
const options = { retry: 5 };
const [error, value] = await oO(wellTheSecondTime(), options);
console.log(`${calls} call, error: ${error.message}, value: ${value}`);
console.log(`the options afterwards: ${JSON.stringify(options)}`);
SHOW
cat >expected <<'SEEN'
1 call, error: busy, value: undefined
the options afterwards: {"retry":5,"attempt":5}
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
