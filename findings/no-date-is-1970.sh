#!/usr/bin/env bash
# A date that could not be read is the beginning of time. `new Date` of what it cannot read is an invalid date, and no error. bson 7.3.4, by which the
# driver of MongoDB writes, and @msgpack/msgpack 3.1.3 store it as 1970-01-01T00:00:00.000Z, a valid one: a job for "next Monday" is due at once, and a
# retention from it is over. JSON makes it null; msgpackr 2.1.4 and cbor-x 1.6.9 keep it invalid. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts bson@7.3.4 @msgpack/msgpack@3.1.3 msgpackr@2.1.4 cbor-x@1.6.9
cat >show.mjs <<'SHOW'
import { decode as readMsgpack, encode as writeMsgpack } from '@msgpack/msgpack';
import { BSON } from 'bson';
import { decode as readCbor, encode as writeCbor } from 'cbor-x';
import { pack, unpack } from 'msgpackr';

const through = {
  JSON: (job) => JSON.parse(JSON.stringify(job)),
  bson: (job) => BSON.deserialize(BSON.serialize(job)),
  '@msgpack/msgpack': (job) => readMsgpack(writeMsgpack(job)),
  msgpackr: (job) => unpack(pack(job)),
  'cbor-x': (job) => readCbor(writeCbor(job)),
};
const job = { dueAt: new Date('next Monday') };
for (const [name, copy] of Object.entries(through)) {
  const { dueAt } = copy(job);
  const shown = dueAt instanceof Date && !Number.isNaN(dueAt.getTime()) ? dueAt.toISOString() : String(dueAt);
  console.log(`${name}: ${shown}`);
}
SHOW
cat >expected <<'SEEN'
JSON: null
bson: 1970-01-01T00:00:00.000Z
@msgpack/msgpack: 1970-01-01T00:00:00.000Z
msgpackr: Invalid Date
cbor-x: Invalid Date
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
