import type { Broker } from '@retry/core/broker';
import { cancelRuns, discardRuns } from '@retry/core/broker/kit';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import type { VirtualClock } from '@retry/worker/testing';

const retry = {
  maxAttempts: 2,
  backoff: { type: 'constant', base: '10ms' },
  jitter: 'none',
} as const;

/** The stack of a program that stands elsewhere. */
function at(place: string, error: Error): Error {
  error.stack = `${error.name}: ${error.message}\n    at ${place} (/app/${place}.ts:7:11)`;
  return error;
}

const sendEmail = defineTask({
  name: 'send-email',
  retry,
  run: async ({ to }: { readonly to: string }) => {
    if (to === 'nobody@')
      throw at('mail', Object.assign(new Error(`no mailbox for ${to}`), { code: 'EENVELOPE' }));
    return { sent: to };
  },
});

const resizeImage = defineTask({
  name: 'resize-image',
  version: '2',
  retry,
  run: async ({ size }: { readonly size: number }) => {
    if (size < 0) throw at('resize', new RangeError(`size must be positive, got ${size}`));
  },
});

const report = defineTask({ name: 'report', run: async (_: object) => {} });

/** The id of a run that the seed submits by a key. */
export function idOf(task: string, key: string): string {
  return ids.get(`${task} ${key}`) ?? '';
}

const ids = new Map<string, string>();

/** How time passes: a virtual clock is moved on, a real one waits. */
export interface Seeding {
  readonly broker: Broker;
  readonly clock?: VirtualClock;
}

/**
 * Fills a queue: of send-email one run completed and three dead, of resize-image one dead, of report two that wait without a
 * worker and one that is scheduled; the lane of report is on hold. Every id is the same on every broker; a round of its own gives
 * other ids.
 */
export async function seedQueue({ broker, clock }: Seeding, round = ''): Promise<void> {
  const given = clock === undefined ? { broker } : { broker, clock };
  const queue = createQueue(given);
  const worker = createWorker({ ...given, tasks: [sendEmail, resizeImage], random: () => 0.5 });
  const keep = (task: string, key: string, { id }: { readonly id: string }) => ids.set(`${task} ${key}`, id);
  const keyed = (key: string) => ({ key: `${key}${round}` });
  keep(
    'send-email',
    'ok',
    await queue.submit(sendEmail, { to: 'ada@' }, { ...keyed('ok'), keepResult: '1h' }),
  );
  for (const key of ['dead-1', 'dead-2', 'dead-3']) {
    keep('send-email', key, await queue.submit(sendEmail, { to: 'nobody@' }, keyed(key)));
  }
  keep('resize-image', 'dead', await queue.submit(resizeImage, { size: -1 }, keyed('dead')));
  worker.start();
  const idle = worker.whenIdle();
  await clock?.advance('1m');
  await idle;
  const stopped = worker.stop();
  await clock?.advance('1s');
  await stopped;
  for (const key of ['one', 'two']) keep('report', key, await queue.submit(report, {}, keyed(key)));
  keep('report', 'later', await queue.submit(report, {}, { ...keyed('later'), delay: '1h' }));
  await queue.hold({ lane: 'report@1' }, { reason: 'the printer is out of paper', by: 'ada', for: '2h' });
  await broker.attend({
    worker: 'mailer-1',
    lanes: ['send-email@1', 'resize-image@2'],
    ttlMs: 600_000,
    facts: { host: 'mail-7', pid: 4711, version: '1.2.3', slots: 10, slotsTaken: 3, leases: 5 },
  });
}

/** Removes every run of a queue, and fills it: of what other tests have left nothing is found. */
export async function seedAnew(broker: Broker): Promise<void> {
  for (const state of ['submitted', 'scheduled', 'completed', 'failed', 'cancelled'] as const) {
    const { runs } = await broker.list({ state, limit: 1_000 });
    const ids = runs.map(({ id }) => id);
    await (state === 'submitted' || state === 'scheduled' ? cancelRuns : discardRuns)(broker, ids);
  }
  rounds += 1;
  await seedQueue({ broker }, `${rounds}`);
}

let rounds = 0;
