#!/usr/bin/env bash
# Commands that are done after their timeout, and twice. With `commandTimeout` ioredis 6.0.0 says "Command timed out" and keeps the command:
# one that found no connection is sent as soon as there is one, beside the retry of its caller, and one whose answer was lost is sent a
# second time. The latter befalls any command, without a timeout as well, though the documentation speaks of blocking ones most likely: a
# job that is pushed once is in the list twice, and an `rpop` takes two jobs and returns the second. redis 6.3.1 sends nothing again. Seen
# on Node 20.20.2, 2026-11-29, on a Redis 7.0.15 of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${redis:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts ioredis@6.0.0 redis@6.3.1
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
redis=$!
until [ -S "$folder/redis.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import Redis from 'ioredis';
import { createClient } from 'redis';

const folder = process.cwd();
const path = `${folder}/network.sock`;
const sockets = new Set();
let isDeaf = false; // Commands arrive, and their answers are lost.
const network = createServer((socket) => {
  const server = connect(`${folder}/redis.sock`);
  sockets.add(socket);
  for (const end of [socket, server]) end.on('error', () => undefined);
  socket.on('data', (bytes) => server.write(bytes));
  socket.on('close', () => server.destroy());
  server.on('data', (bytes) => isDeaf || socket.write(bytes));
});
const open = () => once(network.listen(path), 'listening');
const breakConnections = () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
};
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const there = new Redis(`${folder}/redis.sock`);

async function show(name, client, push, pop) {
  client.on('error', () => undefined);
  await client.connect();

  network.close();
  breakConnections();
  await sleep(500);
  console.log(`${name}, no connection: ${await push(`${name}:away`).catch((error) => error.message || error.constructor.name)}`);
  await open();
  await sleep(2_000);
  console.log(`  jobs, when there is one: ${await there.llen(`${name}:away`)}`);

  isDeaf = true;
  const pushed = push(`${name}:lost`).catch((error) => error.message);
  await sleep(3_000);
  isDeaf = false;
  breakConnections();
  console.log(`${name}, the answer is lost: ${await pushed}`);
  await sleep(2_000);
  console.log(`  jobs, when it is connected again: ${await there.llen(`${name}:lost`)}`);

  await there.rpush(`${name}:jobs`, 'job 3', 'job 2', 'job 1');
  isDeaf = true;
  const popped = pop(`${name}:jobs`).catch((error) => error.message);
  while ((await there.llen(`${name}:jobs`)) === 3) await sleep(10);
  isDeaf = false;
  breakConnections();
  console.log(`${name}, a job is taken: ${await popped}; left: ${await there.lrange(`${name}:jobs`, 0, -1)}`);
}

await open();
const ioredis = new Redis({ path, lazyConnect: true, commandTimeout: 2_000 });
await show('ioredis', ioredis, (key) => ioredis.rpush(key, 'job'), (key) => ioredis.rpop(key));
const redis = createClient({ socket: { path }, commandOptions: { timeout: 2_000 } });
await show('redis', redis, (key) => redis.rPush(key, 'job'), (key) => redis.rPop(key));
process.exit();
SHOW
cat >expected <<'SEEN'
ioredis, no connection: Command timed out
  jobs, when there is one: 1
ioredis, the answer is lost: Command timed out
  jobs, when it is connected again: 2
ioredis, a job is taken: job 2; left: job 3
redis, no connection: TimeoutError
  jobs, when there is one: 0
redis, the answer is lost: Socket closed unexpectedly
  jobs, when it is connected again: 1
redis, a job is taken: Socket closed unexpectedly; left: job 3,job 2
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
