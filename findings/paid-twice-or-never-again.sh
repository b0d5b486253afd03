#!/usr/bin/env bash
# Idempotency that depends on the store. @aws-lambda-powertools/idempotency 2.35.0 keeps its records in DynamoDB, or in Redis by its
# `CachePersistenceLayer`. In that one a run whose Lambda context was not registered, which gives a warning and no error, is taken for one that died:
# a repeat that comes while it runs, runs beside it. And with `payloadValidationJmesPath`, by which a key that comes back with another amount is
# refused, the answer is stored without the fingerprint of the payload: the same request, sent again after its success, is refused for good instead
# of answered. Seen on Node 20.20.2, 2026-11-30, on a Redis 7.0.15 of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${redis:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @aws-lambda-powertools/idempotency@2.35.0 redis@5.12.1
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
redis=$!
until [ -S "$folder/redis.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { CachePersistenceLayer } from '@aws-lambda-powertools/idempotency/cache';
import { createClient } from 'redis';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const client = await createClient({ socket: { path: process.argv[2] } }).connect();

async function show(name, { context, options }) {
  await client.flushAll();
  const config = new IdempotencyConfig(options);
  if (context) config.registerLambdaContext(context);
  let payments = 0;
  const pay = async ({ amount }) => {
    payments += 1;
    await sleep(1_000);
    return `paid ${amount}`;
  };
  const payOnce = makeIdempotent(pay, { config, persistenceStore: new CachePersistenceLayer({ client }) });
  const send = (amount) => payOnce({ order: 7, amount }).catch((error) => error.name);
  const first = send(10);
  await sleep(300);
  const [answer, beside] = await Promise.all([first, send(10)]);
  const paymentsThen = payments;
  console.log(`${name}: ${answer}, sent beside it: ${beside}, payments: ${paymentsThen}`);
  console.log(`  sent again: ${await send(10)}, with another amount: ${options.payloadValidationJmesPath ? await send(11) : 'not asked'}`);
}
const context = { functionName: 'pay', getRemainingTimeInMillis: () => 30_000 };
const options = { eventKeyJmesPath: 'order' };
await show('with a context', { context, options });
await show('without one', { options });
await show('with a context and validation', { context, options: { ...options, payloadValidationJmesPath: 'amount' } });
client.destroy();
SHOW
cat >expected <<'SEEN'
with a context: paid 10, sent beside it: IdempotencyAlreadyInProgressError, payments: 1
  sent again: paid 10, with another amount: not asked
without one: paid 10, sent beside it: paid 10, payments: 2
  sent again: paid 10, with another amount: not asked
with a context and validation: paid 10, sent beside it: IdempotencyAlreadyInProgressError, payments: 1
  sent again: IdempotencyValidationError, with another amount: IdempotencyValidationError
SEEN
AWS_LAMBDA_FUNCTION_NAME=pay TZ=UTC node show.mjs "$folder/redis.sock" 2>/dev/null | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
