#!/usr/bin/env bash
# A limit that is used up by another one. rate-limit-redis 6.0.1, the store of express-rate-limit 8.7.5 in Redis, and `RateLimiterRedis` of
# rate-limiter-flexible 11.4.0 have a prefix for their keys, `rl:` and `rlflx`, and with two limits both have the same: a hundred requests in a minute
# for an API, five in a quarter of an hour for its login, and one counter for both, as its key is the client alone. After six calls of the API the first
# login is refused; and its window is the minute of whichever counted first, so that a counter for a quarter of an hour forgets after one. No error,
# and in memory, the default and what tests use, the two are apart, as they are with a prefix for each. Seen on Node 20.20.2, 2026-11-30, on a Redis
# 7.0.15 of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${redis:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts express@5.2.1 express-rate-limit@8.7.5 rate-limit-redis@6.0.1 rate-limiter-flexible@11.4.0 redis@6.3.1 ioredis@6.0.0
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
redis=$!
until [ -S "$folder/redis.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import express from 'express';
import { MemoryStore, rateLimit } from 'express-rate-limit';
import Redis from 'ioredis';
import { RedisStore } from 'rate-limit-redis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { createClient } from 'redis';

const client = await createClient({ socket: { path: process.argv[2] } }).connect();
const sendCommand = (...args) => client.sendCommand(args);
const storeClient = new Redis(process.argv[2]);
const MINUTE = 60;
const QUARTER = 900;
const refusedFor = (seconds) => (seconds <= MINUTE ? 'refused for a minute at most' : 'refused for longer');

async function ofExpress(storeOf) {
  const app = express();
  app.use('/api', rateLimit({ windowMs: MINUTE * 1_000, limit: 100, store: storeOf('api:') }));
  app.use('/login', rateLimit({ windowMs: QUARTER * 1_000, limit: 5, store: storeOf('login:') }));
  app.use((_, response) => response.end());
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ask = async (path) => (await fetch(`http://127.0.0.1:${server.address().port}${path}`)).headers;
  for (let index = 0; index < 6; index += 1) await ask('/api');
  const headers = await ask('/login');
  const seconds = headers.get('retry-after');
  return seconds === null ? 'let in' : refusedFor(Number(seconds));
}
async function ofFlexible(limiterOf) {
  const [api, login] = [limiterOf('api', 100, MINUTE), limiterOf('login', 5, QUARTER)];
  for (let index = 0; index < 6; index += 1) await api.consume('somebody');
  return await login.consume('somebody').then(
    () => 'let in',
    ({ msBeforeNext }) => refusedFor(msBeforeNext / 1_000),
  );
}
const ways = {
  'express-rate-limit, Redis': () => ofExpress(() => new RedisStore({ sendCommand })),
  'express-rate-limit, Redis, a prefix for each': () => ofExpress((prefix) => new RedisStore({ sendCommand, prefix })),
  'express-rate-limit, memory': () => ofExpress(() => new MemoryStore()),
  'rate-limiter-flexible, Redis': () => ofFlexible((_, points, duration) => new RateLimiterRedis({ storeClient, points, duration })),
  'rate-limiter-flexible, Redis, a prefix for each': () => ofFlexible((keyPrefix, points, duration) => new RateLimiterRedis({ storeClient, points, duration, keyPrefix })),
  'rate-limiter-flexible, memory': () => ofFlexible((_, points, duration) => new RateLimiterMemory({ points, duration })),
};
for (const [name, way] of Object.entries(ways)) {
  await client.flushAll();
  console.log(`${name}: the first login is ${await way()}`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
express-rate-limit, Redis: the first login is refused for a minute at most
express-rate-limit, Redis, a prefix for each: the first login is let in
express-rate-limit, memory: the first login is let in
rate-limiter-flexible, Redis: the first login is refused for a minute at most
rate-limiter-flexible, Redis, a prefix for each: the first login is let in
rate-limiter-flexible, memory: the first login is let in
SEEN
TZ=UTC node show.mjs "$folder/redis.sock" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
