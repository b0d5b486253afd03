import type { Run } from '@retry/core/broker';
import { newRun } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APART, isKeptApart } from '../../packages/redis-queue/src/record/apart.ts';
import { decodeBody, encodeBody } from '../../packages/redis-queue/src/record/body.ts';
import {
  decodeRun,
  encodeFirstCompletion,
  encodeRecord,
} from '../../packages/redis-queue/src/record/record.ts';
import { fromTag, toTag } from '../../packages/redis-queue/src/store/keys.ts';

const text = fc.string({ unit: 'grapheme' });
const anyText = fc.oneof(text, fc.constantFrom('\0', '\u0001', 'a\0b', '\u0001a', '\u0001b', ''));
/** UTF-8 cannot express half a surrogate pair. */
const anyStack = fc.oneof(anyText, fc.constantFrom('at \ud83d', '\udc00', '😀'));
const instant = fc.option(fc.integer({ min: 1, max: 9_999_999_999_999 }), { nil: undefined });
/** Up to the last one of core. */
const due = fc.option(fc.integer({ min: 1, max: 8_640_000_000_000_000 }), { nil: undefined });
/** Results that are kept apart, and results that are not. */
const anyResult = fc.oneof(
  fc.json(),
  fc.constantFrom('\u0001', '"\u0001"', 'x'.repeat(4_096), 'x'.repeat(4_097)),
);
const count = fc.nat({ max: 1_000_000 });
const concurrency = fc.option(
  fc.record({
    key: anyText,
    limit: fc.integer({ min: 1, max: 1_000 }),
    whenFull: fc.constantFrom('wait' as const, 'claim' as const),
  }),
  { nil: undefined },
);
const ended: fc.Arbitrary<Run> = fc.record({
  id: anyText,
  lane: anyText,
  payload: anyResult,
  state: fc.constantFrom('submitted', 'scheduled', 'completed', 'failed', 'cancelled', 'stalled', 'dropped'),
  epoch: count,
  resetEpoch: count,
  failures: count,
  stalls: count,
  releases: count,
  rateLimits: count,
  redrives: count,
  carried: fc.constant(0),
  errors: fc.array(
    fc.record(
      { epoch: count, at: count, name: anyText, message: anyText, stack: anyStack },
      { requiredKeys: ['epoch', 'at', 'name', 'message'] },
    ),
  ),
  createdAt: fc.constant(1_700_000_000_000),
  submittedAt: instant,
  firstStartedAt: instant,
  startedAt: instant,
  heartbeatAt: instant,
  runAt: due,
  endedAt: instant,
  resetAt: instant,
  result: fc.option(anyResult, { nil: undefined }),
  previousDelayMs: fc.option(count, { nil: undefined }),
  concurrency,
  retry: fc.option(anyText, { nil: undefined }),
  origin: fc.option(anyText, { nil: undefined }),
  context: fc.option(anyText, { nil: undefined }),
  settledBy: fc.constantFrom('1:complete', '12:giveUp'),
  isDisposable: fc.constantFrom(true, undefined),
}) as fc.Arbitrary<Run>; // undefined and absent keys read alike

const ODD = [
  'state',
  'epoch',
  'errors',
  'failures',
  'runAt',
  'startedAt',
  'resetAt',
  'previousDelayMs',
] as const;

/** A completion of a first start, with at most one unusual field. */
const firstCompletion = fc
  .tuple(ended, fc.subarray([...ODD, 'isDisposable'] as const, { maxLength: 1 }))
  .map(([run, odd]): Run => {
    const { firstStartedAt, heartbeatAt, endedAt, result } = run;
    const instants = {
      createdAt: 1_700_000_000_000,
      submittedAt: 1_700_000_000_000,
      runAt: 1_700_000_000_000,
      firstStartedAt,
      startedAt: firstStartedAt,
      heartbeatAt,
    };
    const end = {
      state: 'completed',
      epoch: 1,
      endedAt: endedAt,
      result,
      settledBy: '1:complete',
    } as const;
    const other = Object.fromEntries(odd.map((key) => [key, run[key]]));
    return { ...newRun(run), ...instants, ...end, ...other };
  });

/** The body of the run's submission. */
function bodyOf({ id, lane, payload, concurrency, retry, origin, context }: Run): string {
  return encodeBody({
    ...{ id, lane, payload },
    ...(concurrency && { concurrency }),
    ...(retry !== undefined && { retry }),
    ...(origin !== undefined && { origin }),
    ...(context !== undefined && { context }),
  });
}

describe('a run in its body and record', () => {
  it('is decoded as it was encoded', () => {
    fc.assert(
      fc.property(ended, (run) => {
        const body = `1700000000000${bodyOf(run)}`;

        const { text: record, stack, result } = encodeRecord(run, run.settledBy ?? '');

        const back = decodeRun(run.id, { body, record, stack, result, payload: run.payload });

        expect(back).toEqual(run);
      }),
    );
  });

  it('is decoded from its short record as it was encoded, if it has one', () => {
    let short = 0;
    fc.assert(
      fc.property(firstCompletion, (run) => {
        const record = encodeFirstCompletion(run);
        if (record === undefined) return;
        short += 1;

        const body = `1700000000000${bodyOf(run)}`;
        const back = decodeRun(run.id, { body, record, payload: run.payload });

        expect(back).toEqual(run);
      }),
    );
    expect(short).toBeGreaterThan(0);
  });

  it('has no short record if it went to its lane later, even in the millisecond in which it was due', () => {
    const run = {
      ...newRun({ id: 'a', lane: 'l', payload: '1' } as Run),
      state: 'completed',
      epoch: 1,
    } as const;
    const [createdAt, dueAt] = [1_700_000_000_000, 1_700_000_000_050];
    const started = { createdAt, firstStartedAt: dueAt, startedAt: dueAt };

    const encoded = [createdAt, dueAt].map((at) =>
      encodeFirstCompletion({ ...run, ...started, submittedAt: at, runAt: at }),
    );

    expect(encoded.map((record) => record !== undefined)).toEqual([true, false]);
  });

  it('has lane, payload, concurrency and extras in its body, whatever their texts', () => {
    const extras = fc.record({ retry: anyText, origin: anyText }, { requiredKeys: [] });
    fc.assert(
      fc.property(anyText, anyText, concurrency, extras, (lane, payload, limit, others) => {
        const run = { id: 'a', lane, payload, ...(limit && { concurrency: limit }), ...others };

        const body = decodeBody(`1700000000000${encodeBody(run)}`);

        expect(body).toEqual({
          ...{ createdAt: 1_700_000_000_000, lane, concurrency: limit },
          payload: isKeptApart(payload) ? APART : payload,
          extras: others,
        });
      }),
    );
  });

  it('has the same body whichever bodies were read before it', () => {
    const few = fc.record({
      at: fc.constantFrom(1_700_000_000_000, 1_700_000_000_001, 9_999_999_999_999),
      lane: fc.constantFrom('', 'l', 'l@1', 'l@', '\0', '\u0001', 'a much longer name of a lane@1'),
      payload: fc.constantFrom('', '1', '@1', '"l"'),
      keyed: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(few, { maxLength: 30 }), (runs) => {
        for (const { at, ...run } of runs) {
          const { createdAt, lane, payload } = decodeBody(`${at}${encodeBody({ id: 'a', ...run })}`);

          expect({ createdAt, lane, payload }).toEqual({
            createdAt: at,
            lane: run.lane,
            payload: run.payload,
          });
        }
      }),
    );
  });

  it('has the same short record whichever were written before it', () => {
    const at = fc.constantFrom(undefined, 1, 2);
    const few = fc.record({ startedAt: at, heartbeatAt: at, endedAt: at, result: fc.constantFrom('1', '2') });
    const blank = newRun({ id: 'a', lane: 'l', payload: '1' } as Run);
    const createdAt = 1_700_000_000_000;
    const instants = { createdAt, submittedAt: createdAt, runAt: createdAt };
    fc.assert(
      fc.property(fc.array(few, { maxLength: 30 }), (ends) => {
        for (const end of ends) {
          const start = { state: 'completed', epoch: 1, firstStartedAt: end.startedAt } as const;
          const run: Run = { ...blank, ...instants, ...start, ...end, settledBy: '1:complete' };
          const record = encodeFirstCompletion(run) ?? null;

          expect(decodeRun('a', { body: `${createdAt}${bodyOf(run)}`, record })).toEqual(run);
        }
      }),
    );
  });

  it('has the same body as ever, if it has no extras', () => {
    expect(encodeBody({ id: 'a', lane: 'l', payload: '1' })).toBe('-l\x001');
    expect(encodeBody({ id: 'a', lane: 'l', payload: '1', keyed: true })).toBe('=k\0l\x001');
  });
});

describe('toTag', () => {
  it('removes the zero character from any text, and fromTag is its inverse', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('\0', '\u0001', 'a', 'b', 'é')), (parts) => {
        const tag = toTag(parts.join(''));

        expect(tag).not.toContain('\0');
        expect(fromTag(tag)).toBe(parts.join(''));
      }),
    );
  });
});
