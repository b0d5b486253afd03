#!/usr/bin/env bash
# An acknowledgement that nobody gives. With `retries: 3` the client of socket.io 4.8.4 repeats an event until it is acknowledged, an `emit`
# without a callback too. The server does not acknowledge it by itself: the handler has to call a function that the client never asked for, as the
# last argument. One that does not, like all that were written before the option was set, is run four times for each event, and the events behind
# it wait for all four. With the call it is run once. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts socket.io@4.8.4 socket.io-client@4.8.4
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Server } from 'socket.io';
import { io } from 'socket.io-client';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function show(name, retries, handle) {
  const handled = [];
  const http = createServer().listen(0, '127.0.0.1');
  await once(http, 'listening');
  const server = new Server(http);
  server.on('connection', (socket) => {
    socket.on('order', (order, acknowledge) => handle(() => handled.push(order), acknowledge));
  });
  const client = io(`http://127.0.0.1:${http.address().port}`, { retries, ackTimeout: 1_000 });
  await once(client, 'connect');
  client.emit('order', 'tea');
  client.emit('order', 'rice');
  await sleep(12_000);
  return `${name}: ${handled.join(', ')}`;
}
const lines = await Promise.all([
  show('retries: 3', 3, (order) => order()),
  show('retries: 3, acknowledged', 3, (order, acknowledge) => acknowledge(order())),
  show('without retries', undefined, (order) => order()),
]);
for (const line of lines) console.log(line);
process.exit();
SHOW
cat >expected <<'SEEN'
retries: 3: tea, tea, tea, tea, rice, rice, rice, rice
retries: 3, acknowledged: tea, rice
without retries: tea, rice
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
