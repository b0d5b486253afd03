import { createMemoryBroker } from '@retry/inprocess/broker';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KeptSchedule } from '../../packages/worker/src/schedules/record.ts';
import {
  creation,
  DUE_PREFIX,
  idKey,
  movement,
  readSchedule,
  removal,
} from '../../packages/worker/src/schedules/record.ts';
import type { Definition, Schedule } from '../../packages/worker/src/schedules/schedule.ts';
import { openSchedule } from '../../packages/worker/src/schedules/schedule.ts';
import { findSchedule } from '../../packages/worker/src/schedules/schedule-notes.ts';

const ID = 'nightly';

/** One client reads, or writes what follows from what it has read. `dueIn`: few values, so that a schedule often stays due when it was. */
interface Step {
  readonly client: number;
  readonly does: 'read' | 'keep' | 'remove';
  readonly dueIn: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    client: fc.integer({ min: 0, max: 1 }),
    does: fc.constantFrom('read', 'keep', 'keep', 'remove'),
    dueIn: fc.integer({ min: 1, max: 2 }),
  }),
  { maxLength: 40, size: 'max' },
);

function scheduleDueIn(seconds: number): Schedule {
  const definition: Definition = {
    timetable: { everyMs: 1_000, anchorAt: seconds * 1_000 },
    missed: 'latest',
    work: { lane: 'report@1', payload: 'null' },
  };
  return openSchedule(ID, definition, 0);
}

it('what a client has read is written if it is still so, and a schedule is in one note, which its id names', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { notes } = createMemoryBroker();
      /** The schedule's state as a number that each accepted write changes; that of absence is 0, whatever was there before. */
      let state = 0;
      let states = 0;
      const seen: { readonly kept?: KeptSchedule | undefined; readonly state: number }[] = [];
      for (const { client, does, dueIn } of all) {
        if (does === 'read') {
          const { note, isAbsent } = await findSchedule(notes, ID);
          const kept = note && { schedule: readSchedule(note), note };
          expect(isAbsent).toBe(state === 0);
          seen[client] = { kept, state };
          continue;
        }
        const read = seen[client];
        if (read === undefined || (does === 'remove' && read.kept === undefined)) continue;
        const { kept } = read;
        const writes =
          kept === undefined
            ? creation(scheduleDueIn(dueIn))
            : does === 'remove'
              ? removal(ID, kept.note)
              : movement(kept, scheduleDueIn(dueIn));
        const { outcome } = await notes.write(writes);
        expect(outcome).toBe(read.state === state ? 'written' : 'changed');
        if (outcome === 'changed') continue;
        states += 1;
        state = does === 'remove' ? 0 : states;
      }
      const { notes: kept } = await notes.read({ prefix: DUE_PREFIX, limit: 10 });
      const { notes: names } = await notes.read({ prefix: idKey(''), limit: 10 });
      expect(names.map(({ value }) => value)).toEqual(kept.map(({ key }) => key));
      expect(kept).toHaveLength(state === 0 ? 0 : 1);
    }),
  );
});
