/** One worker process of the chaos: `worker.mjs <engine> <address> <log>`. It is killed without a warning. */
import { appendFileSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';
import { createWorker, defineTask } from '@retry/worker';
import { engineOf } from './engines.ts';
import type { Deed } from './plan.ts';
import { CLEANER_MS, CONCURRENCY, LEASE_MS } from './plan.ts';

const [engine, address = '', log = ''] = process.argv.slice(2);
const broker = await engineOf(engine).connect(address);

/** Writes one line synchronously, so that the log of a killed process is complete. */
function note(deed: Deed): void {
  appendFileSync(log, `${JSON.stringify(deed)}\n`);
}

const task = defineTask({
  name: 'chaos',
  maxStalls: 100,
  retry: { maxAttempts: 100, backoff: { type: 'constant', base: 50 } },
  run: async (number: number, { id, epoch, attempt }) => {
    note({ type: 'start', id, epoch, at: Date.now() });
    await rest(5 + Math.random() * 60);
    // Every tenth run fails once.
    if (number % 10 === 0 && attempt === 1) throw new Error('fails once');
    return number;
  },
});

const worker = createWorker({
  broker,
  tasks: [task],
  concurrency: CONCURRENCY,
  lease: LEASE_MS,
  cleanerInterval: CLEANER_MS,
});
worker.on('stalled', ({ id, epoch }) => note({ type: 'stalled', id, epoch, at: Date.now() }));
worker.on('fenced', ({ id, epoch }) => note({ type: 'fenced', id, epoch, at: Date.now() }));
worker.on('error', () => {});
worker.start();
process.on('SIGTERM', async () => {
  await worker.stop();
  await broker.close();
});
