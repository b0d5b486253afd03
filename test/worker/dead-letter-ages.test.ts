import type { Clock } from '@retry/core';
import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const MINUTE_MS = 60_000;

/** A dead letter of 90 seconds ago and one of 30 seconds ago, and a queue whose clock is off by this much. */
async function setLetters(offsetMs: number) {
  const { clock, broker, queue, startWorker } = setScene();
  const task = defineTask({
    name: 'dying',
    retry: { maxAttempts: 1 },
    run: () => Promise.reject(new Error('no')),
  });
  startWorker({ tasks: [task] });
  const old = await queue.submit(task, null);
  await clock.advance(MINUTE_MS);
  const fresh = await queue.submit(task, null);
  await clock.advance(MINUTE_MS / 2);
  const skewed: Clock = { ...clock, now: () => clock.now() + offsetMs };
  return { old: old.id, fresh: fresh.id, letters: createQueue({ broker, clock: skewed }).deadLetters };
}

describe.each([0, MINUTE_MS, -MINUTE_MS])(
  'ages of dead letters, where the caller is %d ms ahead',
  (offsetMs) => {
    it('are measured by the clock of the broker in lists', async () => {
      const { letters, old, fresh } = await setLetters(offsetMs);
      const ids = async (age: object) => (await letters.list(age)).runs.map(({ id }) => id);

      expect(await ids({ olderThan: '1m' })).toEqual([old]);
      expect(await ids({ newerThan: '1m' })).toEqual([fresh]);
      expect(await ids({ ids: [old, fresh], olderThan: '1m' })).toEqual([old]);
      expect(await ids({ olderThan: '30s' })).toHaveLength(2);
    });

    it('are measured by the clock of the broker in plans', async () => {
      const { letters } = await setLetters(offsetMs);

      expect(await letters.plan({ olderThan: '1m' })).toMatchObject({ count: 1 });
      expect(await letters.plan({ newerThan: '2m' })).toMatchObject({ count: 2 });
    });

    it('are measured by the clock of the broker when they are redriven or discarded', async () => {
      const { letters, old, fresh } = await setLetters(offsetMs);

      expect(await letters.redrive({ newerThan: '1m', dryRun: true })).toEqual([fresh]);
      expect(await letters.discard({ olderThan: '1m' })).toEqual([old]);
      expect(await letters.discard({ olderThan: '1m' })).toEqual([]);
    });

    it('that no dead letter has are refused, as nothing would be found in silence', async () => {
      const { letters } = await setLetters(offsetMs);
      const ages = { olderThan: '1m', newerThan: '1s' } as const;

      for (const verb of ['list', 'plan', 'redrive', 'discard'] as const)
        await expect(letters[verb](ages)).rejects.toThrow('olderThan must not be longer than newerThan');
      expect(await letters.plan({ olderThan: '1m', newerThan: '1m' })).toMatchObject({ count: 0 });
    });
  },
);
