#!/usr/bin/env bash
# A refusal that is waited for. `waitUntilBucketExists` of @aws-sdk/client-s3 3.1175.0 takes each failure for "not yet": what is forbidden, or a
# host that is not there, is asked for again until `maxWaitTime` is over, and ends in a TimeoutError that has neither its status nor its cause.
# That limit is looked at between two questions alone: an answer that takes six seconds is waited for under a limit of two, and is a success. And a
# delay that would pass it ends the wait at once, as soon as delays have grown to `maxDelay`: of seven seconds with delays of four it waits four,
# and with the two minutes that are the default, it may give up two minutes too early. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @aws-sdk/client-s3@3.1175.0
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { S3Client, waitUntilBucketExists } from '@aws-sdk/client-s3';

let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  const slowly = () => setTimeout(() => response.end(), 6_000);
  const answers = { refused: () => response.writeHead(403).end(), missing: () => response.writeHead(404).end(), slow: slowly };
  answers[request.url.split('/')[1]]();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const endpoint = `http://127.0.0.1:${server.address().port}`;
const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
const client = new S3Client({ region: 'eu-west-1', endpoint, credentials, forcePathStyle: true, maxAttempts: 1 });

async function show(bucket, options) {
  requests = 0;
  const startedAt = Date.now();
  const end = await waitUntilBucketExists({ client, ...options }, { Bucket: bucket }).then(
    ({ state }) => state,
    (error) => `${error.name}, status ${error.$metadata?.httpStatusCode}`,
  );
  const lateBy = (Date.now() - startedAt) / 1_000 - options.maxWaitTime;
  const when = lateBy > 2 ? 'too late' : lateBy < -2 ? 'too early' : 'in time';
  console.log(`${bucket}, for ${options.maxWaitTime} s: ${end}, ${when}, asked ${requests > 1 ? 'again' : 'once'}`);
}
await show('refused', { maxWaitTime: 5, minDelay: 1, maxDelay: 1 });
await show('slow', { maxWaitTime: 2, minDelay: 1, maxDelay: 1 });
await show('missing', { maxWaitTime: 7, minDelay: 4, maxDelay: 4 });
process.exit();
SHOW
cat >expected <<'SEEN'
refused, for 5 s: TimeoutError, status undefined, in time, asked again
slow, for 2 s: SUCCESS, too late, asked once
missing, for 7 s: TimeoutError, status undefined, too early, asked again
SEEN
TZ=UTC node show.mjs 2>/dev/null | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
