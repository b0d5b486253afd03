#!/usr/bin/env bash
# Parked twice, and gone. Jobs that no worker takes within a time may wait elsewhere: a work queue of RabbitMQ 3.10.8 that moves them by its TTL to a
# parking queue, which moves them back by its own. When a message comes to a queue for the second time, and only TTLs have moved it, the server takes
# that for a circle and drops it, without a dead letter or a log: a job that waits too long for the second time, as in a long outage of all workers,
# is lost. Rejected once on its way, it goes round without an end. Seen on Node 20.20.2, 2026-11-30, with amqplib 2.3.1 on a RabbitMQ of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill -KILL "${server:-}" "${mapper:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts amqplib@2.3.1
free_port() { node -e 'const server = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close(); })'; }
port="$(free_port)"
touch empty
echo "[]." >plugins
export HOME="$folder" ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT="$(free_port)" RABBITMQ_ALLOW_INPUT=1 RABBITMQ_CONF_ENV_FILE="$folder/empty"
export RABBITMQ_CONFIG_FILE="$folder/empty.conf" RABBITMQ_DIST_PORT="$(free_port)" RABBITMQ_ENABLED_PLUGINS_FILE="$folder/plugins" RABBITMQ_LOGS=-
export RABBITMQ_LOG_BASE="$folder" RABBITMQ_MNESIA_BASE="$folder" RABBITMQ_NODENAME="finding-$$@localhost" RABBITMQ_NODE_IP_ADDRESS=127.0.0.1
export RABBITMQ_NODE_PORT="$port" RABBITMQ_PID_FILE="$folder/pid"
touch empty.conf log
epmd -port "$ERL_EPMD_PORT" -address 127.0.0.1 >/dev/null 2>&1 &
mapper=$!
"$(echo /usr/lib/rabbitmq/lib/*/sbin/rabbitmq-server)" -noinput >log 2>&1 &
server=$!
until grep -q "Server startup complete" log; do sleep 0.5; kill -0 "$server"; done
cat >show.mjs <<'SHOW'
import { setTimeout as sleep } from 'node:timers/promises';
import amqp from 'amqplib';

const connection = await amqp.connect(process.argv[2]);
const channel = await connection.createConfirmChannel();
const confirmed = (send) => new Promise((resolve) => send((error) => resolve(error === null ? 'confirmed' : `refused, ${error}`)));
const job = Buffer.from('job');


/** A job that no worker takes within a moment is parked, and comes back from there. Returns where it is, each time that this changes. */
async function show(name, isRejected) {
  const moves = (to) => ({ arguments: { 'x-message-ttl': 500, 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': to } });
  await channel.assertQueue(`${name}-work`, moves(`${name}-park`));
  await channel.assertQueue(`${name}-park`, moves(`${name}-work`));
  await confirmed((done) => channel.sendToQueue(`${name}-work`, job, { persistent: true }, done));
  const places = [];
  for (const end = Date.now() + 3_000; Date.now() < end; await sleep(50)) {
    const counts = await Promise.all(['work', 'park'].map(async (place) => [place, (await channel.checkQueue(`${name}-${place}`)).messageCount]));
    const place = counts.find(([, count]) => count > 0)?.[0] ?? 'nowhere';
    if (isRejected && place === 'work') {
      const message = await channel.get(`${name}-work`);
      if (message) channel.nack(message, false, false);
    }
    if (place !== places.at(-1)) places.push(place);
  }
  console.log(`${name}: ${places.slice(0, 4).join(', ')}${places.length > 4 ? ' and so on' : ''}`);
}
await show('no worker takes it', false);
await show('a worker rejects it each time', true);
process.exit();
SHOW
cat >expected <<'SEEN'
no worker takes it: work, park, nowhere
a worker rejects it each time: work, park, work, park and so on
SEEN
TZ=UTC node show.mjs "amqp://127.0.0.1:$port" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
