#!/usr/bin/env bash
# Retries that fill the line. A worker of NATS JetStream 2.9.10 gives a job back for later by `nak(delay)`. Until then it counts as one that is under
# way, of which a consumer has at most `max_ack_pending`, 1000 by default: a thousand jobs that wait for a retry in an hour, as after a short outage
# of a dependency, hold up each job behind them for that hour, while all workers are idle. Seen on Node 20.20.2, 2026-11-30, with @nats-io/jetstream
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

async function show(stream, fail) {
  await manager.streams.add({ name: stream, subjects: [stream], retention: 'workqueue' });
  await manager.consumers.add(stream, { durable_name: 'worker', ack_policy: 'explicit' });
  const client = jetstream(connection);
  const consumer = await client.consumers.get(stream, 'worker');
  const { config } = await consumer.info();
  for (let index = 0; index < config.max_ack_pending; index += 1) void client.publish(stream, 'fails');
  await client.publish(stream, 'well');
  const messages = await consumer.consume();
  const timer = setTimeout(() => messages.stop(), 5_000);
  let failed = 0;
  let done = 0;
  for await (const message of messages) {
    if (message.string() === 'well') {
      done += 1;
      message.ack();
    } else {
      failed += 1;
      fail(message);
    }
  }
  clearTimeout(timer);
  console.log(`${stream}: of ${config.max_ack_pending} that fail ${failed}, of one behind them ${done}, in 5 s`);
}
await show('given-up', (message) => message.term());
await show('retried-in-an-hour', (message) => message.nak(3_600_000));
await connection.close();
SHOW
cat >expected <<'SEEN'
given-up: of 1000 that fail 1000, of one behind them 1, in 5 s
retried-in-an-hour: of 1000 that fail 1000, of one behind them 0, in 5 s
SEEN
TZ=UTC node show.mjs "$folder/nats-server_$server.ports" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
