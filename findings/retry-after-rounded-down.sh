#!/usr/bin/env bash
# koa-ratelimit 6.0.0 rounds `Retry-After` down, while its message rounds up: a client that waits exactly as long as it is asked to comes
# too early and gets another 429, now with `Retry-After: 0`, and then as many as it can send until the window ends. express-rate-limit
# 8.7.5 rounds up, and the same client is let in at its first retry. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts koa@3.2.1 koa-ratelimit@6.0.0 express@5.2.1 express-rate-limit@8.7.5
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import Koa from 'koa';
import limitKoa from 'koa-ratelimit';

const WINDOW_MS = 1_900;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(name, app) {
  const server = app.listen(0);
  await once(server, 'listening');
  const url = `http://localhost:${server.address().port}/`;
  const answers = [];
  for (let index = 0; index < 4; index += 1) {
    const { status, headers } = await fetch(url);
    const seconds = headers.get('retry-after');
    answers.push(seconds === null ? status : `${status} (Retry-After: ${seconds})`);
    if (status === 200 && index > 0) break;
    await sleep(Number(seconds) * 1_000);
  }
  console.log(`${name}: ${answers.join(', ')}`);
}

const koa = new Koa();
koa.use(limitKoa({ driver: 'memory', db: new Map(), duration: WINDOW_MS, max: 1 }));
koa.use((context) => {
  context.body = 'ok';
});
await show('koa-ratelimit', koa);

const app = express();
app.use(rateLimit({ windowMs: WINDOW_MS, limit: 1 }));
app.get('/', (_request, response) => response.send('ok'));
await show('express-rate-limit', app);
process.exit();
SHOW
cat >expected <<'SEEN'
koa-ratelimit: 200, 429 (Retry-After: 1), 429 (Retry-After: 0), 429 (Retry-After: 0)
express-rate-limit: 200, 429 (Retry-After: 2), 200
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
