#!/usr/bin/env bash
# Numbers in the headers of AMQP messages. @cloudamqp/amqp-client 4.1.1 writes whole numbers from 2^31 to 2^32 as signed 32-bit integers: an
# `x-delay` of thirty days in milliseconds (2592000000) arrives as less than none, and fractions as 32-bit floats, so that an instant in
# seconds is off by up to 64 s. amqplib 2.3.1 writes both exactly, but a `Date` as an empty table. The headers are written by the
# one and read by the other, by the files that do so under each client. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @cloudamqp/amqp-client@4.1.1 amqplib@2.3.1
cat >show.mjs <<'SHOW'
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { AMQPView } = require('./node_modules/@cloudamqp/amqp-client/lib/cjs/amqp-view.js');
const { decodeFields, encodeTable } = require('./node_modules/amqplib/lib/codec.js');

function throughClient(headers) {
  const view = new AMQPView(new ArrayBuffer(1_024));
  const length = view.setTable(0, headers);
  return decodeFields(Buffer.from(view.buffer, 4, length - 4));
}

function throughAmqplib(headers) {
  const bytes = Buffer.from(new ArrayBuffer(1_024));
  encodeTable(bytes, headers, 0);
  return new AMQPView(bytes.buffer).getTable(0)[0];
}

for (const value of [5_000, 2_592_000_000, 5_184_000_000, 1_795_893_130.5, new Date('2026-11-28T00:00:00Z')]) {
  const sent = { value };
  console.log(`${JSON.stringify(value)}`);
  console.log(`  amqp-client to amqplib ${JSON.stringify(throughClient(sent))}`);
  console.log(`  amqplib to amqp-client ${JSON.stringify(throughAmqplib(sent))}`);
}
SHOW
cat >expected <<'SEEN'
5000
  amqp-client to amqplib {"value":5000}
  amqplib to amqp-client {"value":5000}
2592000000
  amqp-client to amqplib {"value":-1702967296}
  amqplib to amqp-client {"value":2592000000}
5184000000
  amqp-client to amqplib {"value":5184000000}
  amqplib to amqp-client {"value":5184000000}
1795893130.5
  amqp-client to amqplib {"value":1795893120}
  amqplib to amqp-client {"value":1795893130.5}
"2026-11-28T00:00:00.000Z"
  amqp-client to amqplib {"value":{"!":"timestamp","value":1795824000}}
  amqplib to amqp-client {"value":{}}
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
