#!/usr/bin/env bash
# Twelve seconds for four. A `Resolver` of Node 20.20.2 has a `timeout` of a query in milliseconds, and `tries`, the number of them. A server that
# does not answer is asked four times for four tries of a second each, and the error comes after eleven to thirteen seconds: the timeout of each round
# is longer than that of the one before, of which the documentation says nothing, and there is no other limit. The server is a socket that is silent
# here. Seen on 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >show.mjs <<'SHOW'
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';

const silent = createSocket('udp4').bind(0, '127.0.0.1');
await once(silent, 'listening');

async function show(timeout, tries) {
  const times = [];
  const note = () => times.push(performance.now());
  silent.on('message', note);
  const resolver = new Resolver({ timeout, tries });
  resolver.setServers([`127.0.0.1:${silent.address().port}`]);
  const startedAt = performance.now();
  const error = await resolver.resolve4('example.com').catch((thrown) => thrown);
  const seconds = (performance.now() - startedAt) / 1_000;
  const expected = (timeout * tries) / 1_000;
  console.log(`timeout ${timeout} ms, tries ${tries}: ${times.length} queries, ${error.code} after ${seconds > 1.5 * expected ? 'more than ' + 1.5 * expected : 'about ' + expected} s`);
  silent.off('message', note);
}
for (const tries of [2, 3, 4]) await show(1_000, tries);
process.exit();
SHOW
cat >expected <<'SEEN'
timeout 1000 ms, tries 2: 2 queries, ETIMEOUT after more than 3 s
timeout 1000 ms, tries 3: 3 queries, ETIMEOUT after more than 4.5 s
timeout 1000 ms, tries 4: 4 queries, ETIMEOUT after more than 6 s
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
