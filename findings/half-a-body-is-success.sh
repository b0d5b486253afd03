#!/usr/bin/env bash
# Clients that report half a response as a success. The server promises 1000 bytes, writes five and closes the connection. fetch says
# `terminated`; redaxios 0.5.1 answers with nothing, pocketbase 0.28.1 with an empty record, pusher 5.3.4 and typed-rest-client 3.1.2
# resolve as well: nothing is thrown, so nothing that retries ever hears of it. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts redaxios@0.5.1 pocketbase@0.28.1 pusher@5.3.4 typed-rest-client@3.1.2
cat >show.mjs <<'SHOW'
import { createServer } from 'node:http';
import pocketbase from 'pocketbase';
import Pusher from 'pusher';
import redaxios from 'redaxios';
import { RestClient } from 'typed-rest-client/RestClient.js';

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"a":');
  setTimeout(() => request.socket.destroy(), 100);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address();
const url = `http://127.0.0.1:${port}`;

const clients = {
  fetch: async () => (await fetch(url)).json(),
  redaxios: async () => (await redaxios.get(url)).data,
  pocketbase: () => new pocketbase(url).collection('a').getOne('b'),
  pusher: async () =>
    (await new Pusher({ appId: '1', key: 'k', secret: 's', host: '127.0.0.1', port }).trigger('c', 'e', {})).status,
  'typed-rest-client': async () => (await new RestClient('x', url).get('/a')).result,
};
for (const [name, call] of Object.entries(clients)) {
  const answer = await call().then(
    (value) => `succeeds with ${JSON.stringify(value)}`,
    (error) => `fails: ${error.message}`,
  );
  console.log(`${name} ${answer}`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
fetch fails: terminated
redaxios succeeds with undefined
pocketbase succeeds with {}
pusher succeeds with 200
typed-rest-client succeeds with null
SEEN
TZ=UTC node --no-warnings show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
