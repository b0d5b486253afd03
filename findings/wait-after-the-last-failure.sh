#!/usr/bin/env bash
# A retry that waits for nothing. ts-retry-promise 0.8.1 waits its delay once more after the last failure, before it rejects: with the default of
# ten retries and exponential delays the caller learns of the failure a whole last delay late. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts ts-retry-promise@0.8.1
cat >show.mjs <<'SHOW'
import { retry } from 'ts-retry-promise';

const events = [];
const started = Date.now();
const at = () => Math.round((Date.now() - started) / 500) * 500;
const call = async () => {
  events.push(`call at ${at()} ms`);
  throw new Error('down');
};
await retry(call, { retries: 2, delay: 500 }).catch(() => events.push(`rejected at ${at()} ms`));
console.log(events.join('\n'));
SHOW
cat >expected <<'SEEN'
call at 0 ms
call at 500 ms
call at 1000 ms
rejected at 1500 ms
SEEN
TZ=UTC node --no-warnings show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
