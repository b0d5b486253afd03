import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueKey, readSchedule, writeSchedule } from '../../packages/worker/src/schedules/record.ts';
import type { Definition, MissedFires, Schedule } from '../../packages/worker/src/schedules/schedule.ts';
import {
  changeSchedule,
  claimFires,
  dueAt,
  LATE_MS,
  openSchedule,
  runIdOf,
  settleFires,
  submissionsOf,
} from '../../packages/worker/src/schedules/schedule.ts';
import type { Timetable } from '../../packages/worker/src/schedules/timetable.ts';
import { instantAfter, latestInstants } from '../../packages/worker/src/schedules/timetable.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Zones whose clocks change, by an hour and by half of one, by day and by night, and one that left a day out. */
const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago'],
  ...['Africa/Casablanca', 'Asia/Kolkata', 'Africa/Cairo', 'America/St_Johns'],
];
const patterns = [
  ...['* * * * *', '*/7 * * * *', '0 * * * *', '30 2 * * *', '0 2,14 * * *', '0 1-4 * * *'],
  ...['0 0 * * *', '15 9 * * MON-FRI', '*/20 30 2 * * *', '59 23 L * *', '30 1,2 * * SUN'],
];

/** Days on which the clocks of these zones change, and others. */
const days = [
  ...['2026-01-15', '2026-02-14', '2026-03-08', '2026-03-29', '2026-04-04', '2026-04-24', '2026-07-01'],
  ...['2026-09-06', '2026-10-03', '2026-10-25', '2026-10-29', '2026-11-01', '2028-02-29'],
].map((day) => Date.parse(`${day}T00:00Z`));

const instants = fc
  .tuple(fc.constantFrom(...days), fc.integer({ min: -DAY_MS, max: 2 * DAY_MS }))
  .map(([day, ms]) => day + ms);

const cronTables = fc.record({ cron: fc.constantFrom(...patterns), timeZone: fc.constantFrom(...zones) });
const everyTables = fc.record({
  everyMs: fc.oneof(fc.constant(1_000), fc.integer({ min: 1_000, max: 3 * HOUR_MS })),
  anchorAt: instants,
});

/** A timetable and an instant near which to look at it; some are bounded. */
const tables: fc.Arbitrary<{ readonly timetable: Timetable; readonly at: number }> = fc
  .record({
    table: fc.oneof(cronTables, everyTables),
    at: instants,
    from: fc.option(fc.integer({ min: -DAY_MS, max: DAY_MS })),
    until: fc.option(fc.integer({ min: 0, max: 3 * DAY_MS })),
  })
  .map(({ table, at, from, until }) => {
    const fromAt = from === null ? undefined : at + from;
    const anchor = 'anchorAt' in table ? { anchorAt: fromAt ?? Math.min(table.anchorAt, at) } : {};
    const timetable: Timetable = {
      ...table,
      ...anchor,
      ...(fromAt !== undefined && { fromAt }),
      ...(until !== null && { untilAt: Math.max(at, fromAt ?? at) + until }),
    };
    return { timetable, at };
  });

/** All instants of a timetable with `after < instant ≤ upTo`, one after another. */
function instantsBetween(timetable: Timetable, after: number, upTo: number): readonly number[] {
  const found: number[] = [];
  for (
    let at = instantAfter(timetable, after);
    at !== undefined && at <= upTo;
    at = instantAfter(timetable, at)
  )
    found.push(at);
  return found;
}

describe('a timetable', () => {
  it.each([
    ['5/15 * * * *', '5-59/15 * * * *'],
    ['0/20 30 2/8 * * *', '0-59/20 30 2-23/8 * * *'],
    ['0 0 3/10 2/4 TUE/2', '0 0 3-31/10 2-12/4 2-6/2'],
  ])('reads the step of %s as one to the end of its field', (cron, written) => {
    const from = { after: Date.parse('2026-01-01T00:00Z'), upTo: Date.parse('2027-01-01T00:00Z'), most: 500 };

    const instants = latestInstants({ cron, timeZone: 'Europe/Berlin' }, from);

    expect(instants.length).toBeGreaterThan(20);
    expect(instants).toEqual(latestInstants({ cron: written, timeZone: 'Europe/Berlin' }, from));
  });

  it('goes on in time, and keeps to its bounds', () => {
    fc.assert(
      fc.property(tables, ({ timetable, at }) => {
        const { fromAt = -Infinity, untilAt = Infinity } = timetable;
        let before = at;
        for (let count = 0; count < 30; count += 1) {
          const next = instantAfter(timetable, before);
          if (next === undefined) return;
          expect(next).toBeGreaterThan(before);
          expect(next).toBeGreaterThanOrEqual(fromAt);
          expect(next).toBeLessThanOrEqual(untilAt);
          before = next;
        }
      }),
    );
  });

  it('has no instant between one and the instant after it', () => {
    fc.assert(
      fc.property(tables, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (table, share) => {
        const { timetable, at } = table;
        const next = instantAfter(timetable, at);
        fc.pre(next !== undefined);

        expect(instantAfter(timetable, Math.min(next - 1, Math.floor(at + share * (next - at))))).toBe(next);
      }),
    );
  });

  it('has the same latest instants as a walk through all of them', () => {
    fc.assert(
      fc.property(
        tables,
        fc.integer({ min: 0, max: 8 * HOUR_MS }),
        fc.integer({ min: 1, max: 40 }),
        (table, ms, most) => {
          const { timetable, at } = table;
          const isDense = 'everyMs' in timetable && timetable.everyMs < 60_000;
          const upTo = at + (isDense ? ms / 100 : ms);

          expect(latestInstants(timetable, { after: at, upTo, most })).toEqual(
            instantsBetween(timetable, at, upTo).slice(-most),
          );
        },
      ),
    );
  });

  it.each([
    [
      'a time of day that is skipped',
      '30 2 * * *',
      '2026-03-07T12:00Z',
      ['2026-03-08T07:00Z', '2026-03-09T06:30Z'],
    ],
    ['one of a list', '30 2,14 * * *', '2026-03-08T00:00Z', ['2026-03-08T07:00Z', '2026-03-08T18:30Z']],
    [
      'a time of day that is repeated',
      '30 1 * * *',
      '2026-10-31T12:00Z',
      ['2026-11-01T05:30Z', '2026-11-02T06:30Z'],
    ],
    ['one of a list', '30 1,13 * * *', '2026-11-01T00:00Z', ['2026-11-01T05:30Z', '2026-11-01T18:30Z']],
    [
      'each hour that is repeated',
      '0 * * * *',
      '2026-11-01T04:30Z',
      ['2026-11-01T05:00Z', '2026-11-01T06:00Z'],
    ],
    ['each hour that there is', '0 * * * *', '2026-03-08T06:30Z', ['2026-03-08T07:00Z', '2026-03-08T08:00Z']],
  ])('fires once for %s when clocks change: %s', (_, cron, from, expected) => {
    const timetable = { cron, timeZone: 'America/New_York' };
    const first = instantAfter(timetable, Date.parse(from)) ?? 0;

    expect([first, instantAfter(timetable, first)]).toEqual(expected.map((text) => Date.parse(text)));
  });
});

const missed: fc.Arbitrary<MissedFires> = fc.oneof(
  fc.constantFrom('skip' as const, 'latest' as const),
  fc.record({ all: fc.integer({ min: 1, max: 50 }) }),
);
const definitions = fc.tuple(tables, missed).map(([{ timetable, at }, policy]) => ({
  at,
  definition: {
    timetable,
    missed: policy,
    work: { lane: 'report@1', payload: '{"a":"\\n"}' },
  } satisfies Definition,
}));

function mostOf(policy: MissedFires): number {
  return typeof policy === 'string' ? 1 : policy.all;
}

describe('a schedule', () => {
  it('survives being written and read', () => {
    fc.assert(
      fc.property(definitions, fc.integer({ min: 0, max: DAY_MS }), ({ definition, at }, ms) => {
        const schedule = claimFires(openSchedule('näch\ntlich', definition, at), at + ms);

        expect(readSchedule({ key: dueKey(schedule), value: writeSchedule(schedule) })).toEqual(schedule);
      }),
    );
  });

  it('decides an instant once, and none that was due before it was made, whatever the clock says', () => {
    const steps = fc.array(fc.integer({ min: -HOUR_MS, max: 4 * HOUR_MS }), { maxLength: 20 });
    fc.assert(
      fc.property(definitions, steps, ({ definition, at }, moves) => {
        let schedule: Schedule = openSchedule('nightly', definition, at);
        let now = at;
        const fired: number[] = [];
        for (const move of moves) {
          now += move;
          if (dueAt(schedule) > now) continue;
          const { decidedAt } = schedule;
          schedule = claimFires(schedule, now);
          expect(schedule.decidedAt).toBeGreaterThanOrEqual(decidedAt);
          fired.push(...schedule.owed);
          schedule = settleFires(schedule);
        }

        expect(fired).toEqual([...new Set(fired)].sort((one, other) => one - other));
        expect(fired.every((instant) => instant > at)).toBe(true);
      }),
    );
  });

  it('fires at each of its instants while a worker looks when it is due', () => {
    fc.assert(
      fc.property(definitions, fc.integer({ min: 0, max: 500 }), ({ definition, at }, lateMs) => {
        let schedule: Schedule = openSchedule('nightly', definition, at);
        const fired: number[] = [];
        for (let count = 0; count < 40 && dueAt(schedule) < Infinity; count += 1) {
          schedule = claimFires(schedule, dueAt(schedule) + lateMs);
          fired.push(...schedule.owed);
          schedule = settleFires(schedule);
        }

        expect(fired).toEqual(instantsBetween(definition.timetable, at, fired.at(-1) ?? at));
      }),
    );
  });

  it('makes up for at most what it says after a day without a worker, and skips what is late', () => {
    fc.assert(
      fc.property(definitions, fc.integer({ min: HOUR_MS, max: DAY_MS }), ({ definition, at }, ms) => {
        const isDense = 'everyMs' in definition.timetable && definition.timetable.everyMs < 60_000;
        const now = at + (isDense ? ms / 100 : ms);
        const due = instantsBetween(definition.timetable, at, now);

        const { owed } = claimFires(openSchedule('nightly', definition, at), now);

        const made = due.slice(-mostOf(definition.missed));
        expect(owed).toEqual(
          definition.missed === 'skip' ? made.filter((instant) => now - instant <= LATE_MS) : made,
        );
      }),
    );
  });

  it('owes what a worker has taken on and may not have submitted, until it is late', () => {
    fc.assert(
      fc.property(definitions, fc.integer({ min: 0, max: LATE_MS }), ({ definition, at }, ms) => {
        const opened = openSchedule('nightly', definition, at);
        fc.pre(dueAt(opened) < Infinity);
        const claimed = claimFires(opened, dueAt(opened));

        const again = claimFires(claimed, (claimed.claimedAt ?? 0) + ms);

        expect(again.owed).toEqual(expect.arrayContaining([...claimed.owed]));
      }),
    );
  });

  it('fires what was due before it was changed once, and nothing of its old timetable after it', () => {
    fc.assert(
      fc.property(
        definitions,
        tables,
        fc.integer({ min: 0, max: HOUR_MS }),
        ({ definition, at }, { timetable }, ms) => {
          const now = at + ms;
          const opened = openSchedule('nightly', definition, at);
          const changed = changeSchedule(opened, { ...definition, timetable }, now);

          expect(changed.owed).toEqual(claimFires(opened, now).owed);
          expect(changed.nextAt).toEqual(instantAfter(timetable, now));
          if (changed.owed.length > 0) expect(dueAt(changed)).toBeLessThanOrEqual(now);
        },
      ),
    );
  });

  it('has one run for an instant, whatever it says', () => {
    const at = Date.parse('2026-11-29T02:00Z');
    const definition: Definition = {
      timetable: { everyMs: 1_000, anchorAt: at },
      missed: 'latest',
      work: { lane: 'report@1', payload: 'null' },
    };
    const claimed = claimFires(openSchedule('nightly', definition, at), at + 1_000);
    const other = changeSchedule(
      claimed,
      { ...definition, work: { lane: 'other@2', payload: '1' } },
      at + 1_500,
    );

    expect(submissionsOf(claimed).map(({ id }) => id)).toEqual([runIdOf('nightly', at + 1_000)]);
    expect(submissionsOf(other)).toEqual([
      { id: '@schedule/nightly@2026-11-29T02:00:01.000Z', keyed: true, lane: 'other@2', payload: '1' },
    ]);
  });
});
