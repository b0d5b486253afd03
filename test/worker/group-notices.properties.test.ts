import type { Broker, GroupNotice } from '@retry/core/broker';
import { discardRuns, figuresBy } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { claimGroupNotices } from '@retry/worker';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSteps } from '../../packages/broker-contract/src/case-scene.ts';
import { die } from '../../packages/broker-contract/src/groups/grouped.ts';
import { figuresOf } from '../../packages/broker-contract/src/insight/figures-of.ts';

const GROUPS = ['x', 'y', 'z'] as const;

/** What happens between two rounds of calls: dead letters come into a group, or all of its own leave. */
const change = fc.record({
  group: fc.constantFrom(...GROUPS),
  dead: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.constant(0)),
});

/** A broker whose calls wait for their turns. */
function inTurns(broker: Broker, scheduler: fc.Scheduler): Broker {
  const { notes } = broker;
  const sources = figuresOf({ broker });
  const turn = <Answer>(name: string, call: () => Promise<Answer>): Promise<Answer> =>
    scheduler.schedule(Promise.resolve(), name).then(call);
  return {
    ...broker,
    notes: {
      read: (query) => turn('read', () => notes.read(query)),
      write: (writes) => turn('write', () => notes.write(writes)),
    },
    figures: figuresBy({ ...sources, groups: (query) => turn('groups', () => sources.groups(query)) }),
  };
}

function setScene(scheduler: fc.Scheduler) {
  const broker = createMemoryBroker();
  const steps = createSteps(broker);
  const dead = new Map<string, string[]>(GROUPS.map((group) => [group, []]));
  let runs = 0;
  return {
    broker: inTurns(broker, scheduler),
    countOf: (group: string) => dead.get(group)?.length ?? 0,
    kill: async (group: string, count: number) => {
      const ids = Array.from({ length: count }, () => `run-${++runs}`);
      await die(steps, Object.fromEntries(ids.map((id) => [id, group])));
      dead.get(group)?.push(...ids);
    },
    clear: async (group: string) => {
      await discardRuns(broker, dead.get(group) ?? []);
      dead.set(group, []);
    },
  };
}

const shown = ({ kind, id, count }: GroupNotice): string => `${kind} ${id} ${count}`;

it('gives each notice to one of several callers, whatever their order', async () => {
  const rounds = fc.array(
    fc.record({
      changes: fc.array(change, { maxLength: 4 }),
      callers: fc.integer({ min: 1, max: 4 }),
    }),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(rounds, fc.scheduler(), async (plays, scheduler) => {
      const { broker, countOf, kill, clear } = setScene(scheduler);
      let noticed = new Map<string, number>();
      for (const { changes, callers } of plays) {
        for (const { group, dead } of changes) await (dead === 0 ? clear(group) : kill(group, dead));
        const calls = Array.from({ length: callers }, () => claimGroupNotices(broker));

        const notices = (await scheduler.waitFor(Promise.all(calls))).flat();

        const before = noticed;
        noticed = new Map();
        const expected: string[] = [];
        for (const group of GROUPS) {
          const [count, mark] = [countOf(group), before.get(group)];
          if (count === 0) continue;
          const isNoticed = mark === undefined || count >= 2 * mark;
          noticed.set(group, isNoticed ? count : mark);
          if (isNoticed) expected.push(`${mark === undefined ? 'new' : 'doubled'} ${group} ${count}`);
        }
        expect(notices.map(shown).sort()).toEqual(expected.sort());
      }
    }),
  );
});

it('notices a group that only grows once for each doubling, also while dead letters come', async () => {
  const kills = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      kills,
      fc.integer({ min: 1, max: 4 }),
      fc.scheduler(),
      async (plays, callers, scheduler) => {
        const { broker, kill } = setScene(scheduler);
        const notices: GroupNotice[] = [];
        const call = async (): Promise<void> => {
          for (let left = 3; left > 0; left -= 1) notices.push(...(await claimGroupNotices(broker)));
        };
        const killAll = async (): Promise<void> => {
          for (const count of plays) await scheduler.schedule(kill('x', count), 'kill');
        };

        await scheduler.waitFor(Promise.all([killAll(), ...Array.from({ length: callers }, call)]));

        const ordered = [...notices].sort((one, other) => one.count - other.count);
        for (const [index, { kind, count }] of ordered.entries()) {
          expect(kind).toBe(index === 0 ? 'new' : 'doubled');
          expect(count).toBeGreaterThanOrEqual(2 * (ordered[index - 1]?.count ?? 0));
        }
      },
    ),
  );
});
