#!/usr/bin/env bash
# Two pieces of work under one key. hash-it 7.0.2, which hashes "any object type based on its values", has one hash for all `URL`s, one for all
# `URLSearchParams` and one for all `Headers`; hash-sum 2.0.0 one for all `Map`s and one for all `Set`s. ohash 2.0.12 tells maps apart, but not
# a key 1 from a key '1', nor errors by their `code` or `cause`. Work that is done once per hash is left out for all others, and
# errors that are counted by it are one. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts hash-it@7.0.2 hash-sum@2.0.0 ohash@2.0.12
cat >show.mjs <<'SHOW'
import { hash as hashIt } from 'hash-it';
import hashSum from 'hash-sum';
import { hash as ohash } from 'ohash';

const failure = (code) => Object.assign(new Error('failed', { cause: new Error(code) }), { code });
const pairs = {
  URL: ['/orders/7', '/refunds/8'].map((path) => new URL(path, 'https://shop.example')),
  URLSearchParams: ['order=7', 'order=8'].map((text) => new URLSearchParams(text)),
  Headers: ['7', '8'].map((order) => new Headers({ 'x-order': order })),
  Map: [7, 8].map((order) => new Map([['order', order]])),
  'Map, 1 and "1"': [1, '1'].map((key) => new Map([[key, 'order']])),
  Set: [7, 8].map((order) => new Set([order])),
  Error: ['ECONNRESET', 'ENOENT'].map(failure),
  Date: [7, 8].map((day) => new Date(Date.UTC(2026, 0, day))),
};
for (const [name, [first, second]] of Object.entries(pairs)) {
  const same = Object.entries({ 'hash-it': hashIt, 'hash-sum': hashSum, ohash })
    .filter(([, hash]) => hash({ work: first }) === hash({ work: second }))
    .map(([hash]) => hash);
  console.log(`two of ${name}: one hash by ${same.join(', ') || 'none'}`);
}
SHOW
cat >expected <<'SEEN'
two of URL: one hash by hash-it
two of URLSearchParams: one hash by hash-it
two of Headers: one hash by hash-it, hash-sum
two of Map: one hash by hash-sum
two of Map, 1 and "1": one hash by hash-sum, ohash
two of Set: one hash by hash-sum
two of Error: one hash by hash-it, ohash
two of Date: one hash by none
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
