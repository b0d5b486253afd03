#!/usr/bin/env bash
# Confirmed, and nowhere. A confirm channel of RabbitMQ 3.10.8 acknowledges what it has dealt with, and a message for a queue that is not there, or
# with a key that no queue is bound to, is dealt with by dropping it: `persistent`, confirmed, and gone. `mandatory` returns it, by an event, and
# confirms it all the same. A full queue (`x-max-length`) drops its oldest for each new one, and confirms all. What rejects is `x-overflow:
# reject-publish`. Seen on Node 20.20.2, 2026-11-30, with amqplib 2.3.1 on a RabbitMQ of its own.
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

console.log(`sendToQueue of a queue that is not there: ${await confirmed((done) => channel.sendToQueue('no-such-queue', job, { persistent: true }, done))}`);
await channel.assertExchange('jobs', 'direct');
await channel.assertQueue('mails');
await channel.bindQueue('mails', 'jobs', 'mail');
console.log(`publish with a key that no queue is bound to: ${await confirmed((done) => channel.publish('jobs', 'mial', job, { persistent: true }, done))}`);
let returned = 0;
channel.on('return', () => (returned += 1));
console.log(`the same, mandatory: ${await confirmed((done) => channel.publish('jobs', 'mial', job, { mandatory: true }, done))}, and ${returned} returned`);
await channel.assertQueue('short', { arguments: { 'x-max-length': 2 } });
const ends = [];
for (let index = 0; index < 5; index += 1) ends.push(await confirmed((done) => channel.sendToQueue('short', job, { persistent: true }, done)));
console.log(`five for a queue of at most two: ${ends.join(', ')}, and ${(await channel.checkQueue('short')).messageCount} are there`);
process.exit();
SHOW
cat >expected <<'SEEN'
sendToQueue of a queue that is not there: confirmed
publish with a key that no queue is bound to: confirmed
the same, mandatory: confirmed, and 1 returned
five for a queue of at most two: confirmed, confirmed, confirmed, confirmed, confirmed, and 2 are there
SEEN
TZ=UTC node show.mjs "amqp://127.0.0.1:$port" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
