import { discardRuns } from '@retry/core/broker/kit';
import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { concurrency } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

const none = { completed: 0, failed: 0, cancelled: 0, stalled: 0, dropped: 0, rateLimited: 0 };

/** What the figures are. That they balance is checked after every call of every case. */
export const auditCases: CasesByName = {
  'audit counts nothing in an empty broker': async (scene) => {
    equal(await scene.broker.audit(), {
      created: 0,
      submitted: 0,
      scheduled: 0,
      started: 0,
      ended: none,
      forgotten: 0,
      unbalanced: 0,
    });
  },

  'audit counts runs by state': async (scene) => {
    const ends = ['complete', 'fail', 'cancel', 'stall', 'drop', 'limit', 'complete'] as const;
    await scene.submit(...ends.map((_, index) => `end-${index}`));
    const claimed = await scene.claim();
    const at = await scene.now();
    await scene.settle(
      ...claimed.map(({ run }, index) => settlementOf(run, { type: ends[index] ?? 'complete', at })),
    );
    await scene.start({ id: 'started', lane: 'm' });
    await scene.submit('waiting', 'also waiting', { id: 'scheduled', delayMs: 60_000 });
    await discardRuns(scene.broker, ['end-0']);

    equal(await scene.broker.audit(), {
      created: 11,
      submitted: 2,
      scheduled: 1,
      started: 1,
      ended: { completed: 1, failed: 1, cancelled: 1, stalled: 1, dropped: 1, rateLimited: 1 },
      forgotten: 1,
      unbalanced: 0,
    });
  },

  'audit counts runs that wait for a concurrency key as submitted': async (scene) => {
    await scene.submit({ id: 'a', concurrency }, { id: 'b', concurrency });
    await scene.claim();

    matches(await scene.broker.audit(), { created: 2, submitted: 1, started: 1 });
  },
};
