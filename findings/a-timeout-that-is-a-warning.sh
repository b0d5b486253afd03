#!/usr/bin/env bash
# A timeout that is a warning. `requestTimeout` of the AWS SDK, @aws-sdk/client-sqs 3.1175.0, is the number of milliseconds that request and response
# should take. When they are over, a line is written to the log, and the call goes on until the server answers: with 500 ms it takes the three seconds
# that the server needs, and would take an hour. `throwOnRequestTimeout` makes it a timeout, `socketTimeout` is one, and the handler for `fetch`, of
# browsers, throws for the same option. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @aws-sdk/client-sqs@3.1175.0 @smithy/fetch-http-handler@5.8.1
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { FetchHttpHandler } from '@smithy/fetch-http-handler';

let requests = 0;
const server = createServer((_, response) => {
  requests += 1;
  setTimeout(() => response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}'), 3_000);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const warnings = [];
console.warn = (text) => void warnings.push(text);
const common = { region: 'eu-central-1', endpoint: `http://127.0.0.1:${server.address().port}`, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };

async function show(name, requestHandler) {
  requests = 0;
  warnings.length = 0;
  const client = new SQSClient({ ...common, requestHandler });
  const startedAt = Date.now();
  const end = await client.send(new ListQueuesCommand({})).then(() => 'a success', (error) => error.name);
  console.log(`${name}: ${requests} requests, ${end} after ${Math.round((Date.now() - startedAt) / 1_000)} s, ${warnings.length} warnings`);
}
await show('requestTimeout: 500', { requestTimeout: 500 });
await show('requestTimeout: 500, throwOnRequestTimeout', { requestTimeout: 500, throwOnRequestTimeout: true });
await show('socketTimeout: 500', { socketTimeout: 500 });
await show('requestTimeout: 500 of the fetch handler', new FetchHttpHandler({ requestTimeout: 500 }));
process.exit();
SHOW
cat >expected <<'SEEN'
requestTimeout: 500: 1 requests, a success after 3 s, 1 warnings
requestTimeout: 500, throwOnRequestTimeout: 3 requests, TimeoutError after 2 s, 0 warnings
socketTimeout: 500: 3 requests, TimeoutError after 2 s, 0 warnings
requestTimeout: 500 of the fetch handler: 3 requests, TimeoutError after 2 s, 0 warnings
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
