#!/usr/bin/env bash
# A line that goes away with those who wait in it. A queue for each delay is how RabbitMQ 3.10.8 waits before a retry: its messages end by a TTL, and its
# dead letters are the jobs. With `x-expires` it removes itself when it is not used. What counts as use is a consumer, a `get`, and that it is declared
# again; a message that is put into it is none, and neither are those that wait in it. Here a delay of three seconds has an expiry of five: of four jobs,
# all persistent and confirmed, the two that came later go with the queue, and are no dead letters. Declared before each message it stays until all are
# back. Seen on Node 20.20.2, 2026-11-30, with amqplib 2.3.1 on a RabbitMQ of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${server:-}" "${mapper:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
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
until grep -q "Server startup complete" log; do sleep 0.5; done
cat >show.mjs <<'SHOW'
import { setTimeout as sleep } from 'node:timers/promises';
import amqp from 'amqplib';

const connection = await amqp.connect(process.argv[2]);
const channel = await connection.createConfirmChannel();
const send = (queue, text) =>
  new Promise((resolve) => channel.sendToQueue(queue, Buffer.from(text), { persistent: true }, (error) => resolve(error === null ? 'confirmed' : `${error}`)));

async function show(name, delay, declaredEachTime) {
  const back = `${delay}-back`;
  const dead = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': back };
  const declare = () => channel.assertQueue(delay, { arguments: { ...dead, 'x-message-ttl': 3_000, 'x-expires': 5_000 } });
  await channel.assertQueue(back);
  await declare();
  const ends = [];
  for (let index = 0; index < 4; index += 1) {
    if (declaredEachTime) await declare();
    ends.push(await send(delay, `job ${index}`));
    if (index === 1) await sleep(3_500);
  }
  await sleep(5_000);
  console.log(`${name}: ${ends.join(', ')}, and ${(await channel.checkQueue(back)).messageCount} are back`);
}
await show('declared at the start', 'wait-one', false);
await show('declared before each message', 'wait-two', true);
process.exit();
SHOW
cat >expected <<'SEEN'
declared at the start: confirmed, confirmed, confirmed, confirmed, and 2 are back
declared before each message: confirmed, confirmed, confirmed, confirmed, and 4 are back
SEEN
TZ=UTC node show.mjs "amqp://127.0.0.1:$port" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
