import type { PolicyInput } from '@retry/core';
import { decide, definePolicy, NonRetryableError } from '@retry/core';
import { network } from '@retry/core/errors';
import type { RecordedAttempt, RecordedRun } from '@retry/core/failures';
import { readErrorFacts, replay, summarizeReplays } from '@retry/core/failures';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../support/seeded-random.ts';
import { HttpError } from '../thrown-values.ts';

const FIXED: PolicyInput = { backoff: { type: 'constant', base: '1s' }, jitter: 'none' };

/** Attempts of 100 ms, each one second after the end of the one before. */
function recorded(...errors: readonly Partial<RecordedAttempt>[]): RecordedRun {
  return {
    id: 'run',
    errors: errors.map((error, index) => ({
      name: 'Error',
      message: 'boom',
      startedAt: 1_000 + index * 1_100,
      at: 1_100 + index * 1_100,
      ...error,
    })),
  };
}

describe('replay', () => {
  it('says that a run would have ended at an earlier attempt, and how much sooner', () => {
    const replayed = replay(definePolicy({ ...FIXED, maxAttempts: 2 }), recorded({}, {}, {}));

    expect(replayed).toEqual({
      id: 'run',
      isRetried: false,
      attempt: 2,
      recordedAttempt: 3,
      reason: 'exhausted',
      laterByMs: -1_100,
      decisions: [
        { type: 'retry', delayMs: 1_000, runAt: 2_100 },
        { type: 'fail', reason: 'exhausted' },
      ],
      missing: [],
    });
  });

  it('says that a dead run would have been retried, and when', () => {
    const replayed = replay(definePolicy({ ...FIXED, maxAttempts: 5 }), recorded({}, {}, {}));

    expect(replayed).toMatchObject({ isRetried: true, attempt: 3, recordedAttempt: 3, laterByMs: 1_000 });
    expect(replayed).not.toHaveProperty('reason');
  });

  it('waits as long as the policy, not as long as was recorded', () => {
    const policy = definePolicy({
      backoff: { type: 'list', delays: ['3s', '5s'] },
      jitter: 'none',
      maxAttempts: 3,
    });

    expect(replay(policy, recorded({}, {}, {})).laterByMs).toBe(3_000 + 5_000 - 2_000);
  });

  it('draws delays with the source of randomness, and takes the middle without one', () => {
    const policy = definePolicy({ ...FIXED, jitter: 'full', maxAttempts: 3 });

    expect(replay(policy, recorded({})).decisions).toMatchObject([{ delayMs: 500 }]);
    expect(replay(policy, recorded({}), { random: () => 0.25 }).decisions).toMatchObject([{ delayMs: 250 }]);
  });

  it('grows a decorrelated delay from the one before', () => {
    const policy = definePolicy({ backoff: { type: 'decorrelated', base: '1s' }, maxAttempts: 9 });

    expect(replay(policy, recorded({}, {})).decisions).toMatchObject([
      { delayMs: 2_000 },
      { delayMs: 3_500 },
    ]);
  });

  it('counts the total time from the first attempt, with the delays of the policy', () => {
    const policy = definePolicy({ ...FIXED, maxAttempts: 9, totalTimeout: '2.5s' });

    expect(replay(policy, recorded({}, {}, {}, {}))).toMatchObject({ attempt: 3, reason: 'total-timeout' });
  });

  it.each([
    ['by code', { retryOn: [{ code: 'E1' }] }, { code: 'E1' }, undefined],
    ['by another code', { retryOn: [{ code: 'E1' }] }, { code: 'E2' }, 'unexpected'],
    ['by status', { retryOn: [{ status: 503 }] }, { status: 503 }, undefined],
    ['by name', { stopOn: [{ name: 'Fatal' }] }, { name: 'Fatal' }, 'stopped'],
    ['by class', { retryOn: [HttpError] }, { name: 'HttpError' }, undefined],
    ['by the class of all errors', { retryOn: [Error] }, { name: 'AnyError' }, undefined],
    ['by message', { retryOn: [{ message: /boom/ }] }, {}, undefined],
    ['by the code of a cause', { retryOn: network }, { causeCode: 'ECONNRESET' }, undefined],
    ['by a delay of the server', { retryOn: [{ retryAfter: true }] }, { retryAfterMs: 5 }, undefined],
    ['of thrown text by class', { retryOn: [Error] }, { name: 'string' }, 'unexpected'],
    ['of a timeout', { retryOn: [{ code: 'E1' }] }, { name: 'AttemptTimeoutError' }, undefined],
    ['of an error that forbids it', {}, { name: 'NonRetryableError' }, 'stopped'],
    ['of its subclass', {}, { name: 'CardError', code: 'NON_RETRYABLE' }, 'stopped'],
    ['after a refusal of the server', {}, { retryAfterMs: 'refused' }, 'retry-after'],
    ['after an end without a policy', {}, { reason: 'ended' }, 'ended'],
    ['of a stall, whatever is expected', { retryOn: [{ code: 'E1' }] }, { reason: 'stalled' }, undefined],
    ['of a stall of an old record', { retryOn: [{ code: 'E1' }] }, { name: 'StalledError' }, undefined],
    [
      'that the handler asked for with an error that forbids it',
      {},
      { reason: 'asked', name: 'NonRetryableError' },
      undefined,
    ],
    ['that the handler asked for', { retryOn: [{ code: 'E1' }] }, { reason: 'asked' }, undefined],
  ] as const)('decides %s', (_what, rules, facts, reason) => {
    const policy = definePolicy({ ...FIXED, ...rules } as PolicyInput);

    expect(replay(policy, recorded(facts as Partial<RecordedAttempt>)).reason).toBe(reason);
  });

  it('waits as long as the server asked for, and half of its jitter', () => {
    const replayed = replay(definePolicy(FIXED), recorded({ retryAfterMs: 20_000 }));

    expect(replayed.decisions).toMatchObject([{ type: 'retry', delayMs: 21_000 }]);
  });

  it('charges a stall, but none that was shared', () => {
    const policy = definePolicy({ ...FIXED, maxAttempts: 2 });
    const shared = { reason: 'stalled', stalledWith: 1 } as const;
    const alone = { reason: 'stalled', stalledWith: 0 } as const;

    expect(replay(policy, recorded(shared, {}))).toMatchObject({
      isRetried: true,
      attempt: 1,
      recordedAttempt: 1,
    });
    expect(replay(policy, recorded(shared, alone, {}))).toMatchObject({ attempt: 2, reason: 'exhausted' });
  });

  it('grows decorrelated backoff over a stall, but not from one that was shared', () => {
    const policy = definePolicy({ maxAttempts: 9, backoff: { type: 'decorrelated', base: 100 } });
    const shared = { reason: 'stalled', stalledWith: 1 } as const;

    const { decisions } = replay(policy, recorded({ reason: 'stalled' }, shared, {}));

    expect(decisions).toMatchObject([{ delayMs: 200 }, { delayMs: 0 }, { delayMs: 350 }]);
  });

  it('charges a stall of a run that was alone because of a group of three at most', () => {
    const policy = definePolicy({ ...FIXED, maxAttempts: 2 });
    const alone = { reason: 'stalled', stalledWith: 0 } as const;
    const stalledBefore = (stalledWith: number): RecordedRun =>
      recorded({ reason: 'stalled', stalledWith }, alone, {});

    expect(replay(policy, stalledBefore(2))).toMatchObject({ isRetried: false, attempt: 2 });
    expect(replay(policy, stalledBefore(3))).toMatchObject({ isRetried: true, attempt: 1 });
  });

  it('counts the total time from a redrive, which the first attempt after it does not', () => {
    const policy = definePolicy({ ...FIXED, maxAttempts: 9, totalTimeout: '10s' });
    const run = recorded({ startedAt: 60_000, at: 60_100 }, { startedAt: 61_100, at: 61_200 });

    expect(replay(policy, run)).toMatchObject({ isRetried: true });
    expect(replay(policy, { ...run, resetAt: 1_000 })).toMatchObject({ attempt: 2, reason: 'total-timeout' });
  });

  it('counts the total time from the first start after a redrive, where that is recorded', () => {
    const policy = definePolicy({ ...FIXED, maxAttempts: 9, totalTimeout: '10s' });
    const run = recorded({ startedAt: 60_000, at: 60_100 }, { startedAt: 61_100, at: 61_200 });

    const replayed = replay(policy, { ...run, resetAt: 1_000, firstStartedAt: 60_000 });

    expect(replayed).toMatchObject({ isRetried: true });
  });

  it('decides nothing about a run without errors', () => {
    expect(replay(definePolicy(), { errors: [] })).toEqual({
      isRetried: false,
      attempt: 0,
      recordedAttempt: 0,
      reason: 'ended',
      decisions: [],
      missing: [],
    });
  });

  it('refuses a policy that is not defined, and what is no run', () => {
    expect(() => replay({} as never, recorded({}))).toThrow('Use definePolicy');
    expect(() => replay(definePolicy(), [] as never)).toThrow('errors must be a list of recorded attempts');
  });
});

describe('the missing facts of a replay', () => {
  const NAMED_CAUSE = { cause: { name: 'E' } };
  const OLD: RecordedRun = { errors: [{ name: 'Error', message: 'boom', at: 5_000 }], firstStartedAt: 4_000 };

  it.each([
    ['nothing of a complete record', { retryOn: [{ code: 'E1', status: 503 }] }, recorded({}), []],
    [
      'code and status',
      { retryOn: [{ code: 'E1' }, { status: 1 }], retryAfter: { mode: 'ignore' } },
      OLD,
      ['code', 'status'],
    ],
    ['the delay of the server', {}, OLD, ['retryAfterMs']],
    ['no code where the name is another', { retryOn: [{ message: 'x', code: 'E1' }] }, recorded({}), []],
    ['no class where the message is another', { retryOn: [{ name: 'E', message: 'x' }] }, recorded({}), []],
    ['the classes above', { retryOn: [TypeError] }, recorded({}), ['class']],
    ['no class of text', { retryOn: [TypeError, { name: 'E' }] }, recorded({ name: 'string' }), []],
    ['no class where it matches', { retryOn: [TypeError] }, recorded({ name: 'TypeError' }), []],
    ['a cause', { retryOn: [NAMED_CAUSE] }, recorded({ unrecorded: ['cause'] }), ['cause']],
    ['no cause of an error that had none', { retryOn: [NAMED_CAUSE, ...network] }, recorded({}), []],
    [
      'no cause of thrown text',
      { retryOn: network },
      recorded({ name: 'string', startedAt: undefined }),
      ['durationMs'],
    ],
    ['a cause that a family asks for', { retryOn: network }, recorded({ unrecorded: ['cause'] }), ['cause']],
    [
      'a cause without a code, which may be one that never passes',
      { retryOn: network },
      recorded({ message: 'socket hang up', unrecorded: ['cause'] }),
      ['cause'],
    ],
    ['another code', { retryOn: [{ code: 'P1' }] }, recorded({ code: 'P2', unrecorded: ['code'] }), ['code']],
    ['no number that it had not', { retryOn: [{ errno: 1_213 }] }, recorded({}), []],
    [
      'the error, for a number',
      { retryOn: [{ errno: 1_213 }] },
      recorded({ unrecorded: ['errno'] }),
      ['error'],
    ],
    [
      'what may have been applied, where that counts',
      { retryOn: network, idempotent: false },
      recorded({ code: 'ECONNREFUSED', unrecorded: ['cause'] }),
      ['cause'],
    ],
    [
      'what decides between delays',
      { delays: [{ on: [NAMED_CAUSE], backoff: { type: 'none' } }] },
      recorded({ unrecorded: ['cause'] }),
      ['cause'],
    ],
    [
      'no cause by its code',
      { retryOn: [{ code: 'ECONNRESET' }, { cause: { code: 'ECONNRESET' } }] },
      recorded({}),
      [],
    ],
    [
      'no cause where another matcher matches',
      { retryOn: [NAMED_CAUSE, { message: 'boom' }] },
      recorded({}),
      [],
    ],
    [
      'no cause where the code of one matches',
      { retryOn: network },
      recorded({ name: 'TypeError', message: 'fetch failed', causeCode: 'ECONNRESET' }),
      [],
    ],
    [
      'a cause of what is expected, where another matcher would stop it',
      { stopOn: [NAMED_CAUSE], retryOn: [{ message: 'boom' }] },
      recorded({ unrecorded: ['cause'] }),
      ['cause'],
    ],
    [
      'the error, for a predicate before one',
      { retryOn: [() => true, { message: 'boom' }] },
      recorded({}),
      ['error'],
    ],
    ['no error, for a predicate after one', { retryOn: [{ message: 'boom' }, () => true] }, recorded({}), []],
    ['the error, for a predicate', { retryOn: [() => true] }, recorded({}), ['error']],
    ['the error, for a gate', { retryIf: () => true }, recorded({}), ['error']],
    ['the delay that was asked for', {}, recorded({ reason: 'asked' }), ['requestedDelay']],
    ['a duration', {}, recorded({ startedAt: undefined, retryAfterMs: 5 }), ['durationMs']],
    ['earlier attempts', {}, { ...recorded({}, {}), failures: 7 }, ['attempts']],
  ] as const)('name %s', (_what, rules, run, missing) => {
    const policy = definePolicy({ ...FIXED, maxAttempts: 9, ...rules } as PolicyInput);

    expect(replay(policy, run as RecordedRun).missing).toEqual(missing);
  });

  it('take the duration of the first attempt from the start of the run', () => {
    const policy = definePolicy({ ...FIXED, maxAttempts: 1 });

    expect(replay(policy, OLD)).toMatchObject({ laterByMs: 0 });
    expect(replay(policy, { ...OLD, resetAt: 4_500 })).not.toHaveProperty('laterByMs');
  });

  it('count attempts that were not kept', () => {
    const run = { ...recorded({}, {}), failures: 5 };

    expect(replay(definePolicy({ ...FIXED, maxAttempts: 5 }), run)).toMatchObject({
      attempt: 5,
      reason: 'exhausted',
    });
    expect(replay(definePolicy({ ...FIXED, maxAttempts: 6 }), run)).toMatchObject({
      attempt: 5,
      isRetried: true,
    });
    expect(replay(definePolicy(FIXED), run)).not.toHaveProperty('laterByMs');
  });

  it('call no predicate more often than decide does', () => {
    let calls = 0;
    const retryOn = [() => ++calls > 0, { cause: () => ++calls > 0 }];

    replay(definePolicy({ ...FIXED, retryOn }), recorded({ causeCode: 'E1' }));

    expect(calls).toBe(1);
  });
});

describe('readErrorFacts', () => {
  it.each([
    [
      'nothing more of an error of the system',
      Object.assign(new Error('no'), { code: 'E1' }),
      { code: 'E1' },
    ],
    ['nothing of a bare error', new Error('no'), {}],
    ['nothing of an error with a name', Object.assign(new Error('no'), { name: 'E' }), {}],
    [
      'that there is a cause, in any property',
      Object.assign(new Error('no'), { original: Object.assign(new Error('inner'), { code: '40001' }) }),
      { causeCode: '40001', unrecorded: ['cause'] },
    ],
    ['another code', Object.assign(new Error('no'), { originalCode: '40001' }), { unrecorded: ['code'] }],
    ['numbers', Object.assign(new Error('no'), { errno: 1_213 }), { unrecorded: ['errno'] }],
    ['labels', Object.assign(new Error('no'), { errorLabelSet: new Set(['L']) }), { unrecorded: ['label'] }],
    [
      'what it says itself',
      Object.assign(new Error('no'), { isRetryable: true }),
      { unrecorded: ['retryable'] },
    ],
    ['a delay that has no header', Object.assign(new Error('no'), { retryAfterMs: 7 }), { retryAfterMs: 7 }],
    [
      'a delay in details',
      Object.assign(new Error('no'), { errorDetails: [{ retryDelay: '2s' }] }),
      { retryAfterMs: 2_000 },
    ],
  ])('records %s', (_what, error, facts) => {
    expect(readErrorFacts(error, 0)).toEqual(facts);
  });
});

describe('summarizeReplays', () => {
  it('counts what would have become of the runs', () => {
    const policy = definePolicy({ ...FIXED, maxAttempts: 2 });
    const runs = [
      recorded({}),
      recorded({}, {}),
      recorded({}, {}, {}),
      recorded({}, {}, {}, { startedAt: undefined }),
    ];

    expect(summarizeReplays(runs.map((run) => replay(policy, run)))).toEqual({
      runs: 4,
      retried: 1,
      endedEarlier: 2,
      unchanged: 1,
      sparedAttempts: 3,
      complete: 3,
      reasons: { exhausted: 3 },
      missing: { durationMs: 1 },
      laterBy: { minMs: -1_100, meanMs: -550, maxMs: 0 },
    });
  });

  it('takes no runs at all', () => {
    expect(summarizeReplays([])).toMatchObject({ runs: 0, reasons: {}, missing: {} });
    expect(summarizeReplays([])).not.toHaveProperty('laterBy');
  });
});

describe('200 stored failures', () => {
  const ERRORS: readonly (() => unknown)[] = [
    () => new Error('boom'),
    () =>
      new TypeError('fetch failed', { cause: Object.assign(new Error('socket'), { code: 'ECONNRESET' }) }),
    () => Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
    () => new HttpError(503),
    () => new HttpError(404),
    () => Object.assign(new HttpError(429), { headers: { 'retry-after': '2' } }),
    () => Object.assign(new HttpError(429), { headers: { 'retry-after': '100' } }),
    () => new NonRetryableError('no'),
    () => 'thrown text',
  ];

  const POLICIES: readonly PolicyInput[] = [
    { maxAttempts: 3 },
    { maxAttempts: 8, retryOn: [...network, { status: [429, 503] }] },
    { maxAttempts: 5, backoff: { type: 'decorrelated', base: '200ms' }, retryAfter: { max: '5m' } },
    { maxAttempts: 'Infinity', totalTimeout: '1.5s', stopOn: [{ status: 404 }] },
    { maxAttempts: 6, retryOn: [HttpError, { message: 'boom' }], retryAfter: { mode: 'ignore' } },
  ];

  it('are decided as by hand: decide is asked about the thrown errors themselves', () => {
    const random = seededRandom(18);
    const reached = new Set<string>();
    for (let index = 0; index < 200; index += 1) {
      const policy = definePolicy(POLICIES[index % POLICIES.length]);
      const thrown = Array.from({ length: 1 + Math.floor(random() * 6) }, () => {
        const make = ERRORS[Math.floor(random() * ERRORS.length)] ?? Error;
        return { error: make(), tookMs: Math.floor(random() * 900) };
      });
      let at = 10_000;
      const errors = thrown.map(({ error, tookMs }, epoch) => {
        const startedAt = at + 777;
        at = startedAt + tookMs;
        const { name, message } =
          error instanceof Error ? error : { name: typeof error, message: String(error) };
        return { epoch, name, message, at, startedAt, ...readErrorFacts(error, at) };
      });

      const expected = [];
      let [now, previousDelayMs] = [10_777, undefined as number | undefined];
      for (const [done, { error, tookMs }] of thrown.entries()) {
        now += tookMs;
        const counters = { failures: done + 1, stalls: 0, previousDelayMs };
        const context = { now, random: () => 0.3, startedAt: 10_777, attemptMs: tookMs };
        const decision = decide(policy, counters, { error }, context);
        expected.push(decision);
        reached.add(decision.type === 'fail' ? decision.reason : 'retry');
        if (decision.type === 'fail') break;
        now += decision.delayMs;
        previousDelayMs = decision.delayMs;
      }
      const stored: RecordedRun = JSON.parse(JSON.stringify({ id: `run-${index}`, errors }));
      const replayed = replay(policy, stored, { random: () => 0.3 });

      expect(replayed.decisions).toEqual(expected);
      // A class may be above the one that is recorded.
      expect(replayed.missing.filter((fact) => fact !== 'class')).toEqual([]);
      expect(replayed.attempt).toBe(expected.length);
      expect(replayed.laterByMs).toBe(now - at);
    }
    expect([...reached].sort()).toEqual([
      'exhausted',
      'retry',
      'retry-after',
      'stopped',
      'total-timeout',
      'unexpected',
    ]);
  });
});
