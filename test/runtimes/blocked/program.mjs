/**
 * What a user of the packages would write, with a handler that blocks the event loop. `npm run test:blocked` runs it as installed from
 * tarballs, in bundles, in other runtimes and below process managers; none of them has to pass arguments. BLOCKED says, as JSON:
 *
 * - engine, url, name: where the queue is
 * - facts: a file that gets one line for each thing that happens
 * - lively: a file that exists once another worker works on the queue; the block lasts until then and `blockMs` longer
 * - isNeighbour: this one is that other worker
 * - burns: the block computes, instead of only holding the event loop
 */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { createPostgresBroker } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue, createWorker, defineTask } from '@retry/worker';

/** Another worker that does not begin to work within this time is missing, in ms. */
const NEIGHBOUR_MS = 60_000;

const { engine, url, name, facts, lively, isNeighbour, blockMs, burns, options } = JSON.parse(
  process.env.BLOCKED,
);
const broker =
  engine === 'redis' ? createRedisBroker({ url, prefix: name }) : createPostgresBroker({ url, schema: name });

process.on('warning', ({ code, message, detail }) => note('warning', { code, message, detail }));

// Tasks of one name may be worked on by any of them.
const blocking = defineTask({
  name: 'blocking',
  retry: { maxAttempts: 5, backoff: { type: 'constant', base: 10 }, jitter: 'none' },
  run: (_, { id, epoch }) => {
    note('start', { id, epoch, leaseRenewal: worker.leaseRenewal });
    if (!isNeighbour) block();
    note('end', { id, epoch });
  },
});
const alive = defineTask({ name: `alive-${process.pid}`, run: () => writeFileSync(lively, '') });
const worker = createWorker({ broker, tasks: isNeighbour ? [blocking, alive] : [blocking], ...options });
for (const event of ['completed', 'stalled', 'fenced', 'blocked'])
  worker.on(event, ({ id, blockedMs }) => note(event, { id, blockedMs }));
worker.on('error', ({ error, doing }) => note('error', { text: `${doing}: ${error}` }));
worker.start();
if (isNeighbour) createQueue({ broker }).submit(alive, null);

function note(type, fact) {
  appendFileSync(facts, `${JSON.stringify({ type, pid: process.pid, isNeighbour, ...fact })}\n`);
}

function block() {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const latest = performance.now() + NEIGHBOUR_MS;
  while (!existsSync(lively) && performance.now() < latest) Atomics.wait(cell, 0, 0, 20);
  const until = performance.now() + blockMs;
  while (performance.now() < until) if (!burns) Atomics.wait(cell, 0, 0, 20);
}
