#!/usr/bin/env bash
# Attempts that are retries, and retries that are attempts. `retryMaxAttempts` of nice-grpc-client-middleware-retry 3.1.16 is the maximum for the total
# number of attempts, by its types, and counts retries: 3 makes four calls, and 1, which elsewhere means once, two. `retriesMax` of async-await-retry
# 2.1.0 is the maximum number of retries, by its documentation, and counts all calls: 3 makes three, 1 makes no retry at all, and 0, which means none,
# is its default, three. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts nice-grpc@2.1.18 nice-grpc-client-middleware-retry@3.1.16 async-await-retry@2.1.0
cat >show.mjs <<'SHOW'
import retry from 'async-await-retry';
import { createChannel, createClientFactory, createServer, ServerError, Status } from 'nice-grpc';
import { retryMiddleware } from 'nice-grpc-client-middleware-retry';

const write = (value) => Buffer.from(JSON.stringify(value));
const read = (bytes) => JSON.parse(bytes.toString());
const serializers = { requestSerialize: write, requestDeserialize: read, responseSerialize: write, responseDeserialize: read };
const Mail = { send: { path: '/mail.Mail/Send', requestStream: false, responseStream: false, options: {}, ...serializers } };

let calls = 0;
async function fail() {
  calls += 1;
  throw new ServerError(Status.UNAVAILABLE, 'busy');
}
const server = createServer();
server.add(Mail, { send: fail });
const port = await server.listen('127.0.0.1:0');
const channel = createChannel(`127.0.0.1:${port}`);
const client = createClientFactory().use(retryMiddleware).create(Mail, channel);

async function count(call) {
  calls = 0;
  await call().catch(() => undefined);
  return calls;
}
for (const most of [0, 1, 3]) {
  const attempts = await count(() => client.send({}, { retry: true, retryBaseDelayMs: 1, retryMaxAttempts: most }));
  const retries = await count(() => retry(fail, [], { retriesMax: most }));
  console.log(`retryMaxAttempts ${most}: ${attempts} calls; retriesMax ${most}: ${retries} calls`);
}
channel.close();
await server.shutdown();
SHOW
cat >expected <<'SEEN'
retryMaxAttempts 0: 1 calls; retriesMax 0: 3 calls
retryMaxAttempts 1: 2 calls; retriesMax 1: 1 calls
retryMaxAttempts 3: 4 calls; retriesMax 3: 3 calls
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
