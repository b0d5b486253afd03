#!/usr/bin/env bash
# @nestjs/throttler 6.7.1 with one limit answers 429 with `Retry-After`. With two named limits, as its guide shows, the header is
# `Retry-After-short`, by the name of the limit, and there is no `Retry-After`: a client that follows the server waits no longer, and the
# headers about what remains are missing in that answer as well. got 14.6.6 waits for the first and retries by its own delay for
# the second. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @nestjs/throttler@6.7.1 @nestjs/core@12.5.1 @nestjs/common@12.5.1 @nestjs/platform-express@12.5.1 reflect-metadata@0.2.2 rxjs@7.8.2 got@14.6.6
cat >show.mjs <<'SHOW'
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import got from 'got';

class Orders {
  list() {
    return 'none';
  }
}
Get()(Orders.prototype, 'list', Object.getOwnPropertyDescriptor(Orders.prototype, 'list'));
Controller()(Orders);

async function show(name, limits) {
  class App {}
  const providers = [{ provide: APP_GUARD, useClass: ThrottlerGuard }];
  Module({ imports: [ThrottlerModule.forRoot(limits)], controllers: [Orders], providers })(App);
  const app = await NestFactory.create(App, { logger: false });
  await app.listen(0);
  const url = `http://localhost:${app.getHttpServer().address().port}/`;
  await fetch(url);
  const { status, headers } = await fetch(url);
  const about = [...headers].filter(([header]) => /rate|retry/.test(header)).map((pair) => pair.join(': '));
  const { retryCount } = await got(url);
  console.log(`${name}: ${status}, ${about.join(', ')}; got is let in at retry ${retryCount}`);
  await app.close();
}

await show('one limit', [{ ttl: 3_000, limit: 1 }]);
await show('named limits', [
  { name: 'short', ttl: 3_000, limit: 1 },
  { name: 'long', ttl: 60_000, limit: 100 },
]);
process.exit();
SHOW
cat >expected <<'SEEN'
one limit: 429, retry-after: 3; got is let in at retry 1
named limits: 429, retry-after-short: 3; got is let in at retry 2
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
