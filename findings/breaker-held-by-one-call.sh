#!/usr/bin/env bash
# A breaker that one call holds open, and one call closes. @fastify/circuit-breaker 4.0.3 lets one request in when `resetTimeout` is over, and
# refuses the others until that is answered. Its `timeout` is looked at when an answer is sent: a handler that waits for a dependency that
# says nothing sends none, and though its client has long gone, and all is well again, each request of the route is refused until the
# process ends. The other way round a slow request that began before the failures closes the breaker with its success: it is open for a
# moment, and not for its `resetTimeout`. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts fastify@5.12.8 @fastify/circuit-breaker@4.0.3
cat >show.mjs <<'SHOW'
import circuitBreaker from '@fastify/circuit-breaker';
import Fastify from 'fastify';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function serve(options) {
  const app = Fastify({ forceCloseConnections: true });
  await app.register(circuitBreaker, { threshold: 2, ...options });
  app.get('/:how', { preHandler: app.circuitBreaker() }, async (request) => {
    const { how } = request.params;
    if (how === 'fails') throw new Error('down');
    if (how === 'hangs') await new Promise(() => undefined);
    if (how === 'slow') await sleep(1_000);
    return how;
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const ask = async (how, signal) => {
    const response = await fetch(`${url}/${how}`, { signal }).catch((error) => error);
    const body = await response.json?.().catch(() => undefined);
    return `${how} ${response.status ?? response.name}${body?.code?.endsWith('OPEN') ? ' (open)' : ''}`;
  };
  return { app, ask };
}

const held = await serve({ timeout: 500, resetTimeout: 1_000 });
console.log(await held.ask('fails'), await held.ask('fails'), await held.ask('well'));
await sleep(2_000);
console.log(`half-open, the client waits for a second: ${await held.ask('hangs', AbortSignal.timeout(1_000))}`);
for (let second = 0; second < 6; second += 2) {
  await sleep(2_000);
  console.log(`${second + 2} s later: ${await held.ask('well')}`);
}
await held.app.close();

const closed = await serve({ timeout: 60_000, resetTimeout: 60_000 });
const slow = closed.ask('slow');
await sleep(200);
console.log(await closed.ask('fails'), await closed.ask('fails'), await closed.ask('well'));
console.log(`resetTimeout: 60 s, but after a second: ${await slow}, ${await closed.ask('well')}`);
process.exit();
SHOW
cat >expected <<'SEEN'
fails 500 fails 503 (open) well 503 (open)
half-open, the client waits for a second: hangs TimeoutError
2 s later: well 503 (open)
4 s later: well 503 (open)
6 s later: well 503 (open)
fails 500 fails 503 (open) well 503 (open)
resetTimeout: 60 s, but after a second: slow 200, well 200
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
