#!/usr/bin/env bash
# An idempotency key that a queue changes. object-hash 3.0.0, hash-sum 2.0.0 and hash-it 7.0.2 take an object that occurs twice in a value for a
# circle, and hash a mark in its place: an order that bills and ships to one address has one hash where it is made, and another where a worker
# has read it from JSON, with the same contents. A key from the hash is then no key: the retry of the worker is new. ohash 2.0.12 and
# json-stable-stringify 1.3.0 give one for both. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts object-hash@3.0.0 hash-sum@2.0.0 hash-it@7.0.2 ohash@2.0.12 json-stable-stringify@1.3.0
cat >show.mjs <<'SHOW'
import { deepStrictEqual } from 'node:assert';
import { hash as hashIt } from 'hash-it';
import hashSum from 'hash-sum';
import stringify from 'json-stable-stringify';
import objectHash from 'object-hash';
import { hash as ohash } from 'ohash';

const throughQueue = (value) => JSON.parse(JSON.stringify(value));
const address = { city: 'Oslo' };
const orders = {
  'one address for both': { bill: address, ship: address },
  'two addresses alike': { bill: { city: 'Oslo' }, ship: { city: 'Oslo' } },
};
const hashes = { 'object-hash': objectHash, 'hash-sum': hashSum, 'hash-it': hashIt, ohash, stringify };
for (const [name, order] of Object.entries(orders)) {
  const read = throughQueue(order);
  deepStrictEqual(read, order);
  const verdicts = Object.entries(hashes).map(([hash, of]) => `${hash} ${of(order) === of(read) ? 'the same' : 'another'}`);
  console.log(`${name}, after JSON: ${verdicts.join(', ')}`);
}
SHOW
cat >expected <<'SEEN'
one address for both, after JSON: object-hash another, hash-sum another, hash-it another, ohash the same, stringify the same
two addresses alike, after JSON: object-hash the same, hash-sum the same, hash-it the same, ohash the same, stringify the same
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
