import type { BrokerName } from '../brokers/open-broker.ts';
import { fillQueue, SUBMITTED } from '../shop/fill-queue.ts';
import { commandLines } from './commands.ts';
import type { KeptBroker } from './open-kept.ts';
import { openKept } from './open-kept.ts';
import { createFillProgress } from './progress.ts';

/** Fills a queue, leaves it there, and prints the commands that look at it. A server of the demo's own runs until Ctrl-C. */
export async function keepQueue(name: BrokerName): Promise<void> {
  const kept = await openKept(name);
  try {
    await fill(kept);
    console.log();
    for (const line of commandLines(kept.options)) console.log(line);
    if (kept.stopServer === undefined) return;
    console.log('\nThe server is the demo’s own: it runs, with the queue, until Ctrl-C.');
    await untilInterrupted();
  } finally {
    await kept.stopServer?.();
  }
}

async function fill({ broker, where, close }: KeptBroker): Promise<void> {
  try {
    await fillQueue({ broker, onEnded: createFillProgress(process.stdout) });
    const { submitted, scheduled, ended } = await broker.audit();
    const waiting = `${submitted} wait in a lane on hold, ${scheduled} are due tomorrow`;
    console.log(`${SUBMITTED} runs are ${where}: ${ended.failed} are dead letters, ${waiting}.`);
  } finally {
    await close();
  }
}

function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    // A signal alone keeps no process alive.
    const timer = setInterval(() => {}, 60_000);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        clearInterval(timer);
        resolve();
      });
    }
  });
}
