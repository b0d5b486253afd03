#!/usr/bin/env bash
# Delays that a nak skips, and a job that nobody sees. A consumer of NATS JetStream 2.9.10 with `backoff` of 2, 4, 8 and 16 s and `max_deliver: 5`
# waits that long where a worker says nothing. Where it says `nak()`, the way to report a failure, the next delivery comes at once, so that the
# five are over within milliseconds of an outage. Then the message stays in its work queue: it counts in the stream, is pending for no consumer and
# is never delivered again. `nak(delay)` waits, and each worker has to know the delays. Seen on Node 20.20.2, 2026-11-30, with @nats-io/jetstream
# 3.4.0 on a server of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${server:-}" 2>/dev/null && wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @nats-io/jetstream@3.4.0 @nats-io/transport-node@3.4.0
nats-server --addr 127.0.0.1 --port -1 --jetstream --store_dir "$folder/store" --ports_file_dir "$folder" >log 2>&1 &
server=$!
until [ -s "$folder/nats-server_$server.ports" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import { readFileSync } from 'node:fs';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

const [servers] = JSON.parse(readFileSync(process.argv[2], 'utf8')).nats;
const connection = await connect({ servers });
const manager = await jetstreamManager(connection);
const nanoseconds = 1_000_000_000;

async function show(stream, fail) {
  const limits = { ack_policy: 'explicit', max_deliver: 5, backoff: [2, 4, 8, 16].map((seconds) => seconds * nanoseconds) };
  await manager.streams.add({ name: stream, subjects: [stream], retention: 'workqueue' });
  await manager.consumers.add(stream, { durable_name: 'worker', ...limits });
  await jetstream(connection).publish(stream, 'job');
  const consumer = await jetstream(connection).consumers.get(stream, 'worker');
  const messages = await consumer.consume();
  const timer = setTimeout(() => messages.stop(), 1_000);
  let deliveries = 0;
  for await (const message of messages) {
    deliveries += 1;
    fail(message);
  }
  clearTimeout(timer);
  const { state } = await manager.streams.info(stream);
  const { num_pending, num_ack_pending } = await manager.consumers.info(stream, 'worker');
  console.log(`${stream}: ${deliveries} in a second, then ${state.messages} in the stream, ${num_pending + num_ack_pending} to be delivered`);
}
await show('silence', () => undefined);
await show('nak', (message) => message.nak());
await connection.close();
SHOW
cat >expected <<'SEEN'
silence: 1 in a second, then 1 in the stream, 1 to be delivered
nak: 5 in a second, then 1 in the stream, 0 to be delivered
SEEN
TZ=UTC node show.mjs "$folder/nats-server_$server.ports" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
