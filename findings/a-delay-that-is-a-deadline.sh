#!/usr/bin/env bash
# A delay that is a deadline. A consumer of NATS JetStream 2.9.10 has an `ack_wait`, here 30 s, after which a message that nobody acknowledged is
# delivered again, and a `backoff`, the delays between deliveries. With both the first delay replaces `ack_wait`: a job that goes well and takes 3.5 s
# is given away after one, and runs twice at the same time, as a retry of what has not failed. Who sets a short first delay gives each job that time
# to run. Seen on Node 20.20.2, 2026-11-30, with @nats-io/jetstream 3.4.0 on a server of its own.
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
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

const [servers] = JSON.parse(readFileSync(process.argv[2], 'utf8')).nats;
const connection = await connect({ servers });
const manager = await jetstreamManager(connection);
const seconds = (number) => number * 1_000_000_000;

async function show(stream, limits) {
  await manager.streams.add({ name: stream, subjects: [stream], retention: 'workqueue' });
  await manager.consumers.add(stream, { durable_name: 'worker', ack_policy: 'explicit', ack_wait: seconds(30), ...limits });
  await jetstream(connection).publish(stream, 'job');
  const consumer = await jetstream(connection).consumers.get(stream, 'worker');
  let running = 0;
  let most = 0;
  const handle = async (message) => {
    running += 1;
    most = Math.max(most, running);
    await sleep(3_500); // the job goes well
    running -= 1;
    message.ack();
  };
  const messages = await consumer.consume();
  const timer = setTimeout(() => messages.stop(), 6_000);
  let deliveries = 0;
  for await (const message of messages) {
    deliveries += 1;
    void handle(message);
  }
  clearTimeout(timer);
  const { config } = await manager.consumers.info(stream, 'worker');
  console.log(`${stream}: ack_wait is ${config.ack_wait / seconds(1)} s, ${deliveries} deliveries of a job that goes well, ${most} at the same time`);
}
await Promise.all([show('ack_wait-only', {}), show('with-backoff', { max_deliver: 5, backoff: [1, 5, 30].map(seconds) })]);
await connection.close();
SHOW
cat >expected <<'SEEN'
ack_wait-only: ack_wait is 30 s, 1 deliveries of a job that goes well, 1 at the same time
with-backoff: ack_wait is 1 s, 2 deliveries of a job that goes well, 2 at the same time
SEEN
TZ=UTC node show.mjs "$folder/nats-server_$server.ports" | sort | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
