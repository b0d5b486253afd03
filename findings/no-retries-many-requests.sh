#!/usr/bin/env bash
# Clients that repeat although they are told not to. With `maxRetryAttemptCount: 0`, @azure/cosmos 4.9.3 sends a read eleven times when the
# connection is reset; with `maxRetries: 0`, storyblok-js-client 7.7.6 sends eleven requests when it is rate limited, since it takes 0 for
# no answer and puts in its default. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @azure/cosmos@4.9.3 storyblok-js-client@7.7.6
cat >show.mjs <<'SHOW'
import { createServer } from 'node:http';
import { CosmosClient } from '@azure/cosmos';
import StoryblokClient from 'storyblok-js-client';

let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  request.resume();
  if (request.url.startsWith('/v2')) response.writeHead(429, { 'content-type': 'application/json' }).end('{}');
  else request.socket.resetAndDestroy();
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;
console.log = () => undefined; // storyblok-js-client announces each retry

const clients = {
  cosmos: () =>
    new CosmosClient({
      endpoint: url,
      key: 'a2V5',
      connectionPolicy: { enableEndpointDiscovery: false, retryOptions: { maxRetryAttemptCount: 0 } },
    })
      .databases.readAll()
      .fetchAll(),
  storyblok: () =>
    new StoryblokClient({ accessToken: 'none', endpoint: `${url}/v2`, maxRetries: 0 }).get('cdn/stories/a'),
};
for (const [name, call] of Object.entries(clients)) {
  requests = 0;
  await call().catch(() => undefined);
  process.stdout.write(`${name}, told to retry 0 times, sends ${requests} requests\n`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
cosmos, told to retry 0 times, sends 11 requests
storyblok, told to retry 0 times, sends 11 requests
SEEN
TZ=UTC node --no-warnings show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
