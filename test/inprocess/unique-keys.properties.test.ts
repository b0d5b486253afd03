import { movedRun } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moveRun } from '../../packages/inprocess/src/broker/record/move-run.ts';
import { createStore } from '../../packages/inprocess/src/broker/record/store.ts';
import { submitRun } from '../../packages/inprocess/src/broker/verbs/submit.ts';
import { createFakeClock } from './fake-clock.ts';

/** Unique submissions, and ends of earlier ones. */
const moves = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant('submit' as const), until: fc.constantFrom('ended', 5) }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('end' as const), pick: fc.nat() }) },
    { weight: 1, arbitrary: fc.constant({ type: 'end all' as const }) },
    { weight: 1, arbitrary: fc.constant({ type: 'advance' as const }) },
  ),
  { maxLength: 600, size: 'max' },
);

const RETENTION = {
  keepCount: 10,
  keepKeysMs: 0,
  keepForMs: Infinity,
  keepBytes: Infinity,
  keepDeadForMs: Infinity,
};

describe('the memory broker', () => {
  it('keeps at most twice as many unique keys as were taken at any time, and two', () => {
    fc.assert(
      fc.property(moves, (some) => {
        let now = 0;
        const store = createStore({ clock: createFakeClock(), ...RETENTION });
        const live = new Map<string, number>();
        let most = 0;
        let count = 0;
        const end = (id: string | undefined): void => {
          if (id === undefined || live.get(id) !== Infinity) return;
          const entry = store.entries.get(id);
          if (entry !== undefined)
            moveRun(store, entry, { next: movedRun(entry.run, { type: 'cancel', at: now }) });
          live.delete(id);
        };
        for (const move of some) {
          if (move.type === 'advance') {
            now += 3;
            for (const [id, until] of live) if (until <= now) live.delete(id);
          } else if (move.type === 'end') end([...live.keys()].at(-1 - (move.pick % Math.max(1, live.size))));
          else if (move.type === 'end all') for (const id of [...live.keys()]) end(id);
          else {
            count += 1;
            const key = `${count}`;
            const id = `{${key}}`;
            const unique = { key, until: move.until as 'ended' | number, onConflict: 'keep' } as const;
            submitRun(store, { id, lane: 'l', payload: '', unique }, now);
            live.set(id, move.until === 'ended' ? Infinity : now + 5);
          }
          most = Math.max(most, live.size);

          expect(store.uniqueKeys.size).toBeLessThanOrEqual(2 * most + 2);
        }
      }),
    );
  });
});
