import type { Broker, Settlement, Submission } from '@retry/core/broker';
import { transitionRun } from '@retry/core/broker/kit';
import { fingerprint } from '@retry/core/failures';

/** How many runs a queue is filled with. */
export interface Sizes {
  readonly waiting: number;
  readonly scheduled: number;
  readonly dead: number;
}

export const WAITING = 'waiting@1';
export const DEAD = 'dead@1';
export const SCHEDULED = 'scheduled@1';

/** Templates of the messages of dead letters: each is an error group. */
export const TEMPLATES = 12;
const BATCH = 1_000;
/** Batches on their way at the same time. */
const LOOPS = 4;
const HOUR_MS = 3_600_000;

/** Fills a queue of ours by the verbs of its broker. Scheduled runs are spread over an hour. */
export async function fillBroker(broker: Broker, { waiting, scheduled, dead }: Sizes): Promise<void> {
  const now = Date.now();
  const runs =
    (lane: string, more: (index: number) => Partial<Submission> = () => ({})) =>
    (index: number): Submission => ({ id: `${lane}-${index}`, lane, payload: '{"n":1}', ...more(index) });
  await submitAll(broker, dead, runs(DEAD));
  await killAll(broker);
  await submitAll(broker, waiting, runs(WAITING));
  await submitAll(
    broker,
    scheduled,
    runs(SCHEDULED, (index) => ({ runAt: now + HOUR_MS + (index * HOUR_MS) / scheduled })),
  );
  for (let index = 0; index < 20; index += 1)
    await broker.attend({
      ...{ worker: `worker-${index}`, lanes: [WAITING, SCHEDULED, DEAD], ttlMs: HOUR_MS },
      facts: { host: 'machine', pid: index, slots: 100, slotsTaken: 50, leases: 60 },
    });
}

async function submitAll(broker: Broker, count: number, runOf: (index: number) => Submission): Promise<void> {
  let next = 0;
  await inLoops(async () => {
    while (next < count) {
      const from = next;
      next += BATCH;
      const length = Math.min(BATCH, count - from);
      await broker.submit(Array.from({ length }, (_, index) => runOf(from + index)));
    }
  });
}

/** Makes dead letters of all runs of a lane. */
async function killAll(broker: Broker): Promise<void> {
  let killed = 0;
  await inLoops(async (loop) => {
    let settle: Settlement[] = [];
    for (let request = 0; ; request += 1) {
      const claim = {
        ...{ worker: `killer-${loop}`, requestId: `${loop}-${request}`, limit: BATCH, leaseMs: HOUR_MS },
        lanes: new Map([[DEAD, BATCH]]),
      };
      const { claimed, now } = await broker.exchange({ settle, claim });
      if (claimed.length === 0) return;
      settle = claimed.map(({ run }) => {
        killed += 1;
        const moved = transitionRun(run, { type: 'fail', at: now });
        if (moved.type === 'rejected') throw new Error('a started run fails');
        const template = String.fromCharCode(65 + (killed % TEMPLATES));
        const error = {
          epoch: run.epoch,
          at: now,
          name: 'Error',
          message: `cannot reach the host of tenant ${killed}, reason ${template}`,
        };
        const next = { ...moved.run, errors: [error] };
        return { id: run.id, epoch: run.epoch, event: 'fail', next, group: fingerprint(error) };
      });
    }
  });
}

async function inLoops(loop: (index: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: LOOPS }, (_, index) => loop(index)));
}
