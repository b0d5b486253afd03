#!/usr/bin/env bash
# One format, two kinds of number. A job of @msgpack/msgpack 3.1.3 that msgpackr 2.1.4 reads has its `attempt` as a number and its `dueAt` in milliseconds
# as a bigint, because what is over 32 bits comes as 64 bits, and `int64AsType` is bigint if nothing is said: `dueAt + delayMs` throws, and so does
# JSON. msgpackr itself writes such an instant as a double, so that it shows between the two only. The other way an `undefined` of msgpackr
# is an object, which is true. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @msgpack/msgpack@3.1.3 msgpackr@2.1.4
cat >show.mjs <<'SHOW'
import { decode, encode } from '@msgpack/msgpack';
import { pack, unpack } from 'msgpackr';

const job = { attempt: 1, dueAt: Date.UTC(2026, 0, 1), cancelledAt: undefined };
const attempted = (act) => {
  try {
    return act();
  } catch (error) {
    return error.name;
  }
};
const ways = {
  '@msgpack/msgpack to itself': decode(encode(job)),
  '@msgpack/msgpack to msgpackr': unpack(encode(job)),
  'msgpackr to itself': unpack(pack(job)),
  'msgpackr to @msgpack/msgpack': decode(pack(job)),
};
for (const [way, read] of Object.entries(ways)) {
  const kinds = `attempt is a ${typeof read.attempt}, dueAt a ${typeof read.dueAt}`;
  const later = attempted(() => read.dueAt + 1_000);
  const json = attempted(() => JSON.stringify(read).length > 0);
  console.log(`${way}: ${kinds}, a second later ${later}, as JSON ${json}, cancelled ${Boolean(read.cancelledAt)}`);
}
SHOW
cat >expected <<'SEEN'
@msgpack/msgpack to itself: attempt is a number, dueAt a number, a second later 1767225601000, as JSON true, cancelled false
@msgpack/msgpack to msgpackr: attempt is a number, dueAt a bigint, a second later TypeError, as JSON TypeError, cancelled false
msgpackr to itself: attempt is a number, dueAt a number, a second later 1767225601000, as JSON true, cancelled false
msgpackr to @msgpack/msgpack: attempt is a number, dueAt a number, a second later 1767225601000, as JSON true, cancelled true
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
