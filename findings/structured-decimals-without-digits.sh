#!/usr/bin/env bash
# structured-headers 2.1.0 writes a decimal that rounds to a whole number without the digit that must follow its point: 29.9996 becomes
# `30.`, which no reader of structured fields takes, its own included. A delay or a reset that is computed is such a number now and then,
# and the whole header is lost with it. structured-field-values 2.0.4 writes `30.0`. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts structured-headers@2.1.0 structured-field-values@2.0.4
cat >show.mjs <<'SHOW'
import { decodeItem, encodeItem } from 'structured-field-values';
import { parseItem, serializeItem } from 'structured-headers';

function isRead(read) {
  try {
    read();
    return 'read';
  } catch {
    return 'an error';
  }
}

for (const value of [29.5, 29.9996, 0.0004]) {
  const text = serializeItem([value, new Map()]);
  const [own, other] = [isRead(() => parseItem(text)), isRead(() => decodeItem(text))];
  console.log(`${value}: structured-headers writes ${text} (by itself: ${own}, by the other: ${other}); the other ${encodeItem(value)}`);
}
SHOW
cat >expected <<'SEEN'
29.5: structured-headers writes 29.5 (by itself: read, by the other: read); the other 29.5
29.9996: structured-headers writes 30. (by itself: an error, by the other: an error); the other 30.0
0.0004: structured-headers writes 0. (by itself: an error, by the other: an error); the other 0.0
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
