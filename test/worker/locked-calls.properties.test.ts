import fc from 'fast-check';
import { expect, it } from 'vitest';
import { coalesce } from '../../packages/worker/src/queue/coalesce.ts';
import { propertyRuns } from '../support/property-runs.ts';

/** A call, and for how many turns its item is locked; -1 is for ever. */
interface Asked {
  readonly item: number;
  lockedFor: number;
}

const asked = fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: -1, max: 3 })), {
  minLength: 1,
  maxLength: 40,
});

it('answers each call once its own item is free, whatever else is locked', async () => {
  await fc.assert(
    fc.asyncProperty(asked, fc.boolean(), async (turns, isOfBatch) => {
      const items: readonly Asked[] = turns.map((lockedFor, item) => ({ item, lockedFor }));
      const isLocked = (one: Asked): boolean => one.lockedFor !== 0;
      const send = async (batch: readonly Asked[]): Promise<readonly (number | 'locked')[]> => {
        const were = batch.map(isLocked);
        for (const one of batch) if (one.lockedFor > 0) one.lockedFor -= 1;
        const isBatchLocked = isOfBatch && were.includes(true);
        return batch.map(({ item }, index) => (isBatchLocked || were[index] ? 'locked' : item));
      };
      const ask = coalesce(send);

      const answers = await Promise.all(items.filter(({ lockedFor }) => lockedFor >= 0).map(ask));
      const forEver = items.filter(isLocked).map(ask);
      const first = await Promise.race([...forEver, Promise.resolve('none')]);

      expect(answers).toEqual(items.filter(({ lockedFor }) => lockedFor === 0).map(({ item }) => item));
      expect(first).toBe('none');
      for (const one of items) one.lockedFor = 0;
      await Promise.all(forEver);
    }),
    { numRuns: propertyRuns(1 / 4) },
  );
});

it('lets calls of a key take effect in their order, whatever is locked', async () => {
  const call = fc.record({
    key: fc.constantFrom('a', 'b', undefined),
    lockedFor: fc.integer({ min: 0, max: 3 }),
    isLater: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 20 }), fc.boolean(), async (calls, isOfBatch) => {
      const asked = calls.map((one, item) => ({ ...one, item }));
      const done: (typeof asked)[number][] = [];
      const send = async (batch: typeof asked): Promise<readonly (number | 'locked')[]> => {
        // What is locked for one call of a key is locked for the later ones of the batch, too.
        const locked = new Set<string | undefined>();
        const were = batch.map(({ lockedFor, key }) => {
          if (lockedFor > 0 && key !== undefined) locked.add(key);
          return lockedFor > 0 || locked.has(key);
        });
        for (const one of batch) if (one.lockedFor > 0) one.lockedFor -= 1;
        return batch.map((one, index) => {
          if (were[index] || (isOfBatch && were.includes(true))) return 'locked';
          done.push(one);
          return one.item;
        });
      };
      const ask = coalesce((batch) => send([...batch]), {
        outstanding: 1,
        orderBy: ({ key }: (typeof asked)[number]) => key,
      });

      const answers: Promise<number>[] = [];
      for (const one of asked) {
        if (one.isLater) await new Promise((resolve) => setTimeout(resolve, 3));
        answers.push(ask(one));
      }

      expect(await Promise.all(answers)).toEqual(asked.map(({ item }) => item));
      for (const key of ['a', 'b']) {
        const items = done.flatMap((one) => (one.key === key ? one.item : []));
        expect(items).toEqual(asked.flatMap((one) => (one.key === key ? one.item : [])));
      }
    }),
    { numRuns: propertyRuns(1 / 4) },
  );
});

it('lets the next call of a key follow one that was refused', async () => {
  let isLocked = true;
  const ask = coalesce(
    async (batch: readonly string[]): Promise<readonly (string | 'locked')[]> => {
      if (isLocked) return batch.map(() => 'locked');
      if (batch.includes('bad')) throw new Error('refused');
      return batch;
    },
    { outstanding: 1, orderBy: () => 'key' },
  );

  const bad = ask('bad');
  const good = ask('good');
  const refused = bad.catch((error: unknown) => error);
  await new Promise((resolve) => setTimeout(resolve, 20));
  isLocked = false;

  expect(await refused).toMatchObject({ message: 'refused' });
  expect(await good).toBe('good');
});

it('has one batch of locked calls under way', async () => {
  let underWay = 0;
  let most = 0;
  let left = 30;
  const ask = coalesce(async (batch: readonly number[]): Promise<readonly (number | 'locked')[]> => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setTimeout(resolve, 1));
    underWay -= 1;
    left -= 1;
    return batch.map((item) => (left > 0 ? 'locked' : item));
  });

  await Promise.all(Array.from({ length: 5 }, (_, item) => ask(item)));

  expect(most).toBe(1);
});
