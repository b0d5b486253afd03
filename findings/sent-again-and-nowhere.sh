#!/usr/bin/env bash
# Sent again, and nowhere. A stream of NATS JetStream 2.9.10 knows the `Nats-Msg-Id` of the last two minutes, so that a repeated publish is stored once.
# It knows it of messages that are not there any more, too: after a purge, after one was deleted, pushed out by `max_msgs`, or done by a worker, the
# same job sent again is answered like any other, with the number of the first, and is not stored. Who empties a queue to fill it anew, or puts a job
# back that went wrong, gets a success for each and has none; `duplicate` of the answer is all that says so. What was refused by a stream that was
# full is not known, and can be sent again. Seen on Node 20.20.2, 2026-11-30, with @nats-io/jetstream 3.4.0 on a server of its own.
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
const client = jetstream(connection);

const send = (stream, msgID) => client.publish(`${stream}.${msgID}`, 'job', { msgID });
async function end(stream, msgID, { seq, duplicate }) {
  const subject = `${stream}.${msgID}`;
  const { state } = await manager.streams.info(stream, { subjects_filter: subject });
  return `message ${seq}, duplicate ${duplicate}, in the stream ${state.subjects?.[subject] ?? 0}`;
}
const handle = async (stream) => {
  await manager.consumers.add(stream, { durable_name: 'worker', ack_policy: 'explicit' });
  const consumer = await client.consumers.get(stream, 'worker');
  await (await consumer.next()).ackAck();
};
const ways = {
  purged: [{}, (stream) => manager.streams.purge(stream)],
  deleted: [{}, (stream, { seq }) => manager.streams.deleteMessage(stream, seq)],
  'pushed out': [{ max_msgs: 1, discard: 'old' }, (stream) => send(stream, 'order-8')],
  done: [{ retention: 'workqueue' }, handle],
};
for (const [index, [name, [options, remove]]] of Object.entries(ways).entries()) {
  const stream = `jobs-${index}`;
  await manager.streams.add({ name: stream, subjects: [`${stream}.>`], ...options });
  const first = await send(stream, 'order-7');
  await remove(stream, first);
  console.log(`${name}, and sent again: ${await end(stream, 'order-7', await send(stream, 'order-7'))}`);
}
await manager.streams.add({ name: 'full', subjects: ['full.>'], max_msgs: 1, discard: 'new' });
await send('full', 'order-7');
const refused = await send('full', 'order-8').catch((error) => error.message);
await manager.streams.purge('full');
console.log(`refused (${refused}), and sent again: ${await end('full', 'order-8', await send('full', 'order-8'))}`);
process.exit();
SHOW
cat >expected <<'SEEN'
purged, and sent again: message 1, duplicate true, in the stream 0
deleted, and sent again: message 1, duplicate true, in the stream 0
pushed out, and sent again: message 1, duplicate true, in the stream 0
done, and sent again: message 1, duplicate true, in the stream 0
refused (maximum messages exceeded), and sent again: message 2, duplicate false, in the stream 1
SEEN
TZ=UTC node show.mjs "$folder/nats-server_$server.ports" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
