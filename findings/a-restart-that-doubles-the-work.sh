#!/usr/bin/env bash
# A consumer that is two. `stop()` of sqs-consumer 14.2.8 lets a request for messages that is under way come to its end, as its documentation says,
# and `start()` begins a new loop. With its end the old loop looks whether the consumer is stopped, sees that it is not, and goes on: from then on
# both ask for messages, and after three such restarts four do, each with its `batchSize`. Who pauses a consumer to spare a dependency that is down,
# and starts it again within the 20 seconds for which a request waits, comes back with twice the load. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts sqs-consumer@14.2.8 @aws-sdk/client-sqs@3.1175.0
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { SQSClient } from '@aws-sdk/client-sqs';
import { Consumer } from 'sqs-consumer';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let asking = 0;
let most = 0;
const server = createServer((request, response) => {
  asking += 1;
  most = Math.max(most, asking);
  response.on('close', () => {
    asking -= 1;
  });
  request.resume();
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  setTimeout(() => response.end('{}'), 1_000); // The queue is empty, which is answered after a while.
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const endpoint = `http://127.0.0.1:${server.address().port}`;
const sqs = new SQSClient({ region: 'eu-west-1', endpoint, credentials: { accessKeyId: 'key', secretAccessKey: 'secret' } });

async function show(name, pauseMs) {
  const consumer = Consumer.create({ queueUrl: `${endpoint}/1/mail`, sqs, handleMessage: async (message) => message });
  consumer.on('error', () => undefined);
  const seen = [];
  for (let restarts = 0; restarts < 4; restarts += 1) {
    consumer.start();
    await sleep(1_400);
    most = 0;
    await sleep(2_000);
    seen.push(most);
    consumer.stop();
    await sleep(pauseMs);
  }
  console.log(`${name}: at the same time ask ${seen.join(', ')}`);
}
await show('started again when the request has ended', 1_500);
await show('started again at once', 0);
process.exit();
SHOW
cat >expected <<'SEEN'
started again when the request has ended: at the same time ask 1, 1, 1, 1
started again at once: at the same time ask 1, 2, 3, 4
SEEN
TZ=UTC node show.mjs 2>/dev/null | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
