#!/usr/bin/env bash
# Dead without a try. A quorum queue of RabbitMQ 3.10.8 counts the deliveries of a message, and makes it a dead letter after `x-delivery-limit`. A
# consumer that prefetches has the next ones delivered, too: if one job takes down its process, all that lay behind it are counted each time. With a
# prefetch of ten one bad job makes nine good ones dead letters that no worker has begun. With a prefetch of one only the bad job dies. Seen on Node
# 20.20.2, 2026-11-30, with amqplib 2.3.1 on a RabbitMQ of its own.
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

const url = process.argv[2];
const control = await amqp.connect(url);
const channel = await control.createConfirmChannel();
const LIMIT = 3;

async function show(queue, prefetch) {
  await channel.assertQueue(`${queue}-dead`, { durable: true });
  await channel.assertQueue(queue, {
    durable: true,
    arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': LIMIT, 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': `${queue}-dead` },
  });
  for (let index = 0; index < 20; index += 1) channel.sendToQueue(queue, Buffer.from(index === 0 ? 'poison' : `job ${index}`));
  await channel.waitForConfirms();

  // A worker runs one job at a time; the first one takes its process down each time, before it can acknowledge anything.
  const begun = new Set();
  for (let start = 0; start <= LIMIT + 1; start += 1) {
    const worker = await amqp.connect(url);
    worker.on('error', () => undefined);
    const jobs = await worker.createChannel();
    await jobs.prefetch(prefetch);
    const line = [];
    const next = async () => {
      for (let wait = 0; wait < 50 && line.length === 0; wait += 1) await sleep(20);
      return line.shift();
    };
    await jobs.consume(queue, (job) => void line.push(job));
    let job;
    while ((job = await next())) {
      begun.add(`${job.content}`);
      if (`${job.content}` === 'poison') break;
      jobs.ack(job);
    }
    await worker.close();
    await sleep(500);
  }
  const { messageCount } = await channel.checkQueue(`${queue}-dead`);
  console.log(`${queue}: ${begun.size} of 20 jobs were begun, ${messageCount} are dead letters`);
}
await show('prefetch-of-1', 1);
await show('prefetch-of-10', 10);
process.exit();
SHOW
cat >expected <<'SEEN'
prefetch-of-1: 20 of 20 jobs were begun, 1 are dead letters
prefetch-of-10: 11 of 20 jobs were begun, 10 are dead letters
SEEN
TZ=UTC node show.mjs "amqp://127.0.0.1:$port" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
