#!/usr/bin/env bash
# Two minutes that are a tenth of a second. @fastify/reply-from 12.6.5, the proxy below @fastify/http-proxy, repeats a GET that is answered by 503
# up to ten times, unasked, and after the `Retry-After` of the answer, if it has one. It hands that to a timer as it is: seconds become
# milliseconds, and a date, which is no number, one millisecond. An upstream that asks for two minutes gets eleven requests for each one within two
# seconds, as long as it says that it cannot take any. And `retriesCount: 1`, a limit for other failures, switches these off: it makes fewer
# requests than none. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts fastify@5.12.8 @fastify/reply-from@12.6.5
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import replyFrom from '@fastify/reply-from';
import Fastify from 'fastify';

const headers = {
  'two minutes': () => ({ 'retry-after': '120' }),
  'a date in two minutes': () => ({ 'retry-after': new Date(Date.now() + 120_000).toUTCString() }),
};
let requests = 0;
const upstream = createServer((request, response) => {
  requests += 1;
  const asked = decodeURIComponent(request.url.slice(1));
  response.writeHead(503, headers[asked]()).end();
}).listen(0, '127.0.0.1');
await once(upstream, 'listening');

async function show(name, options) {
  const proxy = Fastify();
  proxy.register(replyFrom, { base: `http://127.0.0.1:${upstream.address().port}` });
  proxy.get('/*', (request, reply) => reply.from(request.url, options));
  const address = await proxy.listen({ port: 0, host: '127.0.0.1' });
  for (const asked of Object.keys(headers)) {
    requests = 0;
    const startedAt = Date.now();
    const { status } = await fetch(`${address}/${encodeURIComponent(asked)}`);
    const waited = Date.now() - startedAt < 60_000 ? 'within a minute' : 'after a minute';
    console.log(`${name}, come back in ${asked}: ${requests} requests, and ${status} ${waited}`);
  }
}
await show('by default', {});
await show('retriesCount: 1', { retriesCount: 1 });
process.exit();
SHOW
cat >expected <<'SEEN'
by default, come back in two minutes: 11 requests, and 503 within a minute
by default, come back in a date in two minutes: 11 requests, and 503 within a minute
retriesCount: 1, come back in two minutes: 1 requests, and 503 within a minute
retriesCount: 1, come back in a date in two minutes: 1 requests, and 503 within a minute
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
