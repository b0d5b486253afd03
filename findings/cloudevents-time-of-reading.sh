#!/usr/bin/env bash
# cloudevents 10.0.0 (the SDK): an event without `time`, which is optional, has the instant at which it was read, so that the same bytes read
# again, after a redelivery, are an event of another time, and a late one seems to be new. A leap second, which RFC 3339 allows, is
# replaced by the time of reading too, and of nine digits of a second three are kept. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cloudevents@10.0.0
cat >show.mjs <<'SHOW'
import { HTTP } from 'cloudevents';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(time) {
  const attributes = { specversion: '1.0', id: '1', source: '/orders', type: 'order.placed', ...(time && { time }) };
  const message = { headers: { 'content-type': 'application/cloudevents+json' }, body: JSON.stringify(attributes) };
  const first = HTTP.toEvent(message).time;
  await sleep(50);
  const second = HTTP.toEvent(message).time;
  console.log(`${time}: ${first === second ? first : 'another time at each reading'}`);
}

await show('2026-01-01T01:00:00.123456789+01:00');
await show(undefined);
await show('2016-12-31T23:59:60Z');
SHOW
cat >expected <<'SEEN'
2026-01-01T01:00:00.123456789+01:00: 2026-01-01T00:00:00.123Z
undefined: another time at each reading
2016-12-31T23:59:60Z: another time at each reading
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
