#!/usr/bin/env bash
# Clients that throw what is no Error. airtable 0.12.2 throws an object of a class that extends nothing, storyblok-js-client 7.7.6 a plain
# object: `instanceof Error` is false and there is no stack, so that `catch (error) { throw error instanceof Error ? … }` and p-retry, which
# accepts only errors, lose the status. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts p-retry@7.1.1 airtable@0.12.2 storyblok-js-client@7.7.6
cat >show.mjs <<'SHOW'
import { createServer } from 'node:http';
import Airtable from 'airtable';
import pRetry from 'p-retry';
import StoryblokClient from 'storyblok-js-client';

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(503, { 'content-type': 'application/json' }).end('{}');
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;

const clients = {
  airtable: () => new Airtable({ apiKey: 'none', endpointUrl: url }).base('appx')('t').find('recx'),
  storyblok: () => new StoryblokClient({ accessToken: 'none', endpoint: `${url}/v2` }).get('cdn/stories/a'),
};
for (const [name, call] of Object.entries(clients)) {
  const thrown = await call().catch((error) => error);
  console.log(`${name} throws a ${thrown.constructor.name}: an Error: ${thrown instanceof Error}, stack: ${thrown.stack}`);
  let calls = 0;
  const counted = () => {
    calls += 1;
    return call();
  };
  const last = await pRetry(counted, { retries: 2, minTimeout: 1 }).catch((error) => error);
  console.log(`${name} in p-retry with 2 retries: ${calls} call, ${last.message}`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
airtable throws a AirtableError: an Error: false, stack: undefined
airtable in p-retry with 2 retries: 1 call, Non-error was thrown: "The service is temporarily unavailable. Please retry shortly.(SERVICE_UNAVAILABLE)[Http code 503]". You should only throw errors.
storyblok throws a Object: an Error: false, stack: undefined
storyblok in p-retry with 2 retries: 1 call, Non-error was thrown: "[object Object]". You should only throw errors.
SEEN
TZ=UTC node --no-warnings show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
