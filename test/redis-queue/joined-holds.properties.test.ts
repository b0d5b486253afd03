import type { Broker, Note, Notes } from '@retry/core/broker';
import { HOLD_PREFIX, holdLanes, listHolds, readNotes, resumeLanes } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinNotes } from '../../packages/redis-queue/src/partitions/notes.ts';
import { createFakeClock } from '../inprocess/fake-clock.ts';

/** What is done to the holds of a lane. */
type Act = { readonly type: 'resume' } | Held;

interface Held {
  readonly type: 'hold' | 'hold-longer';
  /** Absent: without an end. */
  readonly forMs?: number;
  readonly probeMs?: number;
}

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.constant<Act>({ type: 'resume' }),
  fc.record<Act>(
    {
      type: fc.constantFrom('hold', 'hold-longer'),
      forMs: fc.constantFrom(5_000, 60_000),
    },
    { requiredKeys: ['type'] },
  ),
  fc.constant<Act>({ type: 'hold', forMs: 5_000, probeMs: 5_000 }),
);

function apply(notes: Notes, { type, ...held }: Act): Promise<unknown> {
  if (type === 'resume') return resumeLanes({ notes }, [{ lane: 'l' }]);
  const keepLonger = type === 'hold-longer';
  return holdLanes({ notes }, [{ lane: 'l', source: 'handler', ...held, keepLonger }]);
}

/** What becomes of a call: it is answered, it does not arrive, or its answer is lost. */
type Fate = 'answered' | 'lost' | 'unanswered';

/** The notes of a partition whose calls are made in any order among those of others, and may fail. */
function unsteady({ notes }: Broker, turns: fc.Scheduler, fateOf: () => Fate): { readonly notes: Notes } {
  const call = async <Answer>(make: () => Promise<Answer>): Promise<Answer> => {
    const fate = fateOf();
    await turns.schedule(Promise.resolve());
    if (fate === 'lost') throw new Error('ECONNREFUSED');
    const answer = await make();
    await turns.schedule(Promise.resolve());
    if (fate === 'unanswered') throw new Error('ECONNRESET');
    return answer;
  };
  return {
    notes: { read: (query) => call(() => notes.read(query)), write: (some) => call(() => notes.write(some)) },
  };
}

async function heldBy({ notes }: Broker): Promise<readonly Partial<Note>[]> {
  return (await readNotes(notes, HOLD_PREFIX)).map(({ version: _, writtenAt: __, ...note }) => note);
}

/** Makes all calls at the same time, then returns the partitions. */
async function play(acts: readonly Act[], turns: fc.Scheduler, fates: readonly Fate[]) {
  const clock = createFakeClock();
  const left = [...fates];
  const fateOf = (): Fate => left.pop() ?? 'answered';
  const [home, others] = [createMemoryBroker({ clock }), [0, 1].map(() => createMemoryBroker({ clock }))];
  const notes = joinNotes([
    unsteady(home, turns, fateOf),
    ...others.map((part) => unsteady(part, turns, fateOf)),
  ]);
  await turns.waitFor(Promise.allSettled(acts.map((one) => apply(notes, one))));
  return { home, others };
}

it('all partitions hold what the first one does once all calls have ended', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 4 }), fc.scheduler(), async (acts, turns) => {
      const { home, others } = await play(acts, turns, []);

      const held = await heldBy(home);
      for (const part of others) expect(await heldBy(part)).toEqual(held);
    }),
  );
});

const fates = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant<Fate>('answered') },
    { weight: 1, arbitrary: fc.constantFrom<Fate>('lost', 'unanswered') },
  ),
  { minLength: 20, maxLength: 40 },
);

it('calls of which some failed leave nothing that the next one does not bring to all partitions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 4 }),
      act,
      fc.scheduler(),
      fates,
      async (acts, last, turns, some) => {
        const { home, others } = await play(acts, turns, some);

        await apply(joinNotes([home, ...others]), last);

        const held = await heldBy(home);
        for (const part of others) expect(await heldBy(part)).toEqual(held);
        if (last.type === 'resume') expect(held).toEqual([]);
      },
    ),
  );
});

it('a resume that failed half-way is repeated, though the first partition lists the hold no more', async () => {
  const clock = createFakeClock();
  const [home, other] = [createMemoryBroker({ clock }), createMemoryBroker({ clock })];
  const failing: Notes = { ...other.notes, write: () => Promise.reject(new Error('ECONNRESET')) };
  const notes = joinNotes([home, other]);
  await holdLanes({ notes }, [{ lane: 'l', source: 'operator' }]);
  await expect(
    resumeLanes({ notes: joinNotes([home, { notes: failing }]) }, [{ lane: 'l' }]),
  ).rejects.toThrow('ECONNRESET');

  expect(await listHolds({ notes })).toEqual([]);
  expect(await resumeLanes({ notes }, [{ lane: 'l' }])).toEqual(['none']);

  expect(await heldBy(other)).toEqual([]);
});
