/** One worker process of the chaos: `worker.mjs <engine> <address> <log> <mended>`. It is killed without a warning. */
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';
import { createWorker } from '@retry/worker';
import { engineOf } from './engines.ts';
import type { Deed } from './plan.ts';
import { BEAT_MS, CLEANER_MS, CONCURRENCY, LEASE_MS } from './plan.ts';
import { chaosTasks } from './tasks.ts';

const [engine, address = '', log = '', mended = ''] = process.argv.slice(2);
const broker = await engineOf(engine).connect(address);

/** Writes one line synchronously, so that the log of a killed process is complete. */
function note(deed: Deed): void {
  appendFileSync(log, `${JSON.stringify(deed)}\n`);
}

const worker = createWorker({
  broker,
  tasks: Object.values(chaosTasks(note, () => existsSync(mended))),
  concurrency: CONCURRENCY,
  lease: LEASE_MS,
  cleanerInterval: CLEANER_MS,
});
worker.on('stalled', ({ id, epoch }) => note({ type: 'stalled', id, epoch, at: Date.now() }));
worker.on('fenced', ({ id, epoch }) => note({ type: 'fenced', id, epoch, at: Date.now() }));
worker.on('error', () => {});
worker.start();
let isStopping = false;
process.on('SIGTERM', async () => {
  isStopping = true;
  await worker.stop();
  await broker.close();
});

/** Beats until the worker stops. */
async function beat(): Promise<void> {
  for (let from = performance.timeOrigin; !isStopping; await rest(BEAT_MS)) {
    await broker.exchange({}).catch(() => {});
    const at = Date.now();
    note({ type: 'beat', by: process.pid, from, at });
    from = at;
  }
}

void beat();
