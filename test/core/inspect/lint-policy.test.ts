import type { LintCode, LintWarning, Matcher, PolicyInput } from '@retry/core';
import { definePolicy, lintPolicy } from '@retry/core';
import * as errors from '@retry/core/errors';
import { network } from '@retry/core/errors';
import { describe, expect, it } from 'vitest';

function codesOf(input: PolicyInput): readonly LintCode[] {
  // Every error is a subject of its own below.
  return lintPolicy(definePolicy({ retryOn: [Error], ...input })).map(({ code }) => code);
}

const constant = { type: 'constant', base: '1s' } as const;

describe('lintPolicy', () => {
  it('warns of the default policy only that it retries every error, and explains why', () => {
    expect(lintPolicy(definePolicy())).toEqual([
      {
        code: 'RETRIES_EVERYTHING',
        path: 'retryOn',
        message:
          'every error is retried, also those that come again: a wrong argument, a missing right, a bug. ' +
          'It is the default because no list of errors holds for every program, and a list that is wrong fails in silence',
        cure: 'List the errors that pass: retryOn: [...network, ...http], of @retry/core/errors.',
      },
    ]);
  });

  it.each<[PolicyInput]>([
    [{ retryOn: [...network] }],
    [{ stopOn: [TypeError] }],
    [{ retryIf: () => true }],
    [{ maxAttempts: 1 }],
    [{ retryable: false, maxAttempts: 1 }],
  ])('does not warn that %o retries every error', (input) => {
    expect(lintPolicy(definePolicy(input))).toEqual([]);
  });

  it.each(['^(a+)+$', '(a*)*', '((a{2,})b)+', '(?:\\w+\\s?)*$', '(x(a+)?)+', '([a)]+)+', '(\\(a+){2,5}'])(
    'finds a pattern that repeats what repeats: %s',
    (pattern) => {
      const input = { retryOn: [{ code: 'E' }, { cause: { message: new RegExp(pattern) } }] };

      expect(lintPolicy(definePolicy(input))).toEqual([
        {
          code: 'NESTED_QUANTIFIERS',
          path: 'retryOn[1].cause.message',
          message:
            'retryOn[1].cause.message repeats a group that repeats: one long message may take it for ever',
          cure: 'Repeat once: /^a+$/ instead of /^(a+)+$/; or match by code, name or text.',
        },
      ]);
    },
  );

  it.each<[string, Matcher]>([
    ['message', { message: ['x', /(a+)+/] }],
    ['cause.message', { cause: { message: /(a+)+/ } }],
    ['anywhere.message', { anywhere: { message: /(a+)+/ } }],
    ['anywhere[1].message', { anywhere: [TypeError, { message: /(a+)+/ }] }],
    ['unless[0].message', { code: 'E', unless: [{ message: /(a+)+/ }] }],
    [
      'unless.cause.anywhere[0].message',
      { code: 'E', unless: { cause: { anywhere: [{ message: /(a+)+/ }] } } },
    ],
  ])('finds such a pattern wherever it is: %s', (path, matcher) => {
    const policies: readonly [string, PolicyInput][] = [
      ['retryOn[0]', { retryOn: [matcher] }],
      ['stopOn[1]', { stopOn: [TypeError, matcher] }],
      ['delays[0].on[0]', { delays: [{ on: [matcher], backoff: { type: 'constant', base: '1s' } }] }],
    ];

    for (const [key, input] of policies) {
      expect(lintPolicy(definePolicy(input))).toContainEqual(
        expect.objectContaining({ code: 'NESTED_QUANTIFIERS', path: `${key}.${path}` }),
      );
    }
  });

  it.each([
    'timed? out',
    '(a+)b',
    '(ab)+',
    '(a+)?',
    '[(a+)]+',
    '\\(a+\\)+',
    '(a{3})+',
    '(a+) (b+)',
    '(a)+(b)*',
  ])('finds no such pattern in %s', (pattern) => {
    expect(codesOf({ stopOn: [{ message: ['x', new RegExp(pattern)] }] })).toEqual([]);
  });

  it.each<[string, Matcher]>([
    ['message', { message: '*timed out*' }],
    ['message', { message: 'timed out*' }],
    ['message', { message: '/timed out/i' }],
    ['message', { message: ['busy', 'timed.*out'] }],
    ['message', { message: '^timed out' }],
    ['message', { message: 'timed out$' }],
    ['message', { message: 'took \\d+ ms' }],
    ['message', { message: '%timed out%' }],
    ['message', { message: { glob: '.*timed out.*' } }],
    ['message', { message: { glob: '*timed out*', except: '/by the user/' } }],
    ['code', { code: 'ECONNRESET|EPIPE' }],
    ['code', { code: 'ECONNRESET, EPIPE' }],
    ['code', { code: '/^08/' }],
    ['sqlState', { sqlState: '^08' }],
    ['name', { name: '.*Error' }],
    ['label', { label: 'Transient*' }],
    ['cause.code', { cause: { code: '^E' } }],
    ['unless.message', { code: 'E', unless: { message: '*by the user' } }],
  ])('finds a text that is written as a pattern where it is literal: %s of %o', (path, matcher) => {
    expect(lintPolicy(definePolicy({ retryOn: [matcher] }))).toContainEqual(
      expect.objectContaining({ code: 'LITERAL_PATTERN', path: `retryOn[0].${path}` }),
    );
  });

  it.each<Matcher>([
    { message: 'timed out' },
    { message: 'Lock wait timeout exceeded; try restarting transaction' },
    { message: '(a) 2 * 3 costs 5 $ or 100%' },
    { message: 'GET /api/v1/ failed. Again?' },
    { message: { glob: '*timed out*', except: '*by the user*' } },
    { message: /^timed.*out$/ },
    { code: ['08*', 'ECONN*'] },
    { name: '*TimeoutError' },
    { sqlState: '40*' },
    { errno: -104 },
    { label: 'TransientTransactionError' },
  ])('finds none in %o', (matcher) => {
    expect(codesOf({ retryOn: [matcher] })).toEqual([]);
  });

  it('finds none in the families', () => {
    const families = Object.values(errors).filter((family) => Array.isArray(family));

    expect(families.length).toBeGreaterThan(10);
    for (const family of families) expect(codesOf({ retryOn: family as readonly Matcher[] })).toEqual([]);
  });

  it.each<[LintCode, PolicyInput, PolicyInput]>([
    ['NOT_RETRYABLE', { retryable: false }, { retryable: false, maxAttempts: 1 }],
    ['MATCHES_NOTHING', { retryOn: 'nothing' }, { retryOn: 'nothing', maxAttempts: 1 }],
    ['UNBOUNDED', { maxAttempts: Infinity }, { maxAttempts: Infinity, totalTimeout: '1m' }],
    ['LONG_WORST_CASE', { maxAttempts: 400 }, { maxAttempts: 400, totalTimeout: '1h' }],
    ['NO_WAIT', { backoff: { type: 'none' } }, { backoff: constant }],
    ['NO_WAIT', { backoff: { type: 'constant', base: 0 } }, { backoff: { type: 'constant', base: 1 } }],
    ['NO_WAIT', { backoff: { type: 'list', delays: [0, 0] } }, { backoff: { type: 'list', delays: [0, 1] } }],
    ['NO_WAIT', { backoff: constant, granularity: '2s' }, { backoff: constant, granularity: '1s' }],
    ['NO_JITTER', { jitter: 'none' }, { jitter: 'equal' }],
    ['NO_JITTER', { jitter: { proportional: 0 } }, { jitter: { proportional: 0.1 } }],
    ['NO_JITTER', { backoff: { type: 'none' }, minDelay: '1s' }, { minDelay: 10 }],
    ['NO_JITTER', { backoff: constant, minDelay: '1s' }, { backoff: constant, minDelay: 999 }],
    [
      'SHRINKING_DELAY',
      { backoff: { type: 'exponential', base: 100, factor: 0.9 } },
      { backoff: { type: 'exponential', base: 100, factor: 1 } },
    ],
    ['CAP_BELOW_BASE', { backoff: constant, maxDelay: 999 }, { backoff: constant, maxDelay: 1_000 }],
    [
      'CAP_ERASES_JITTER',
      { backoff: constant, capAt: 'after-jitter', maxDelay: '1s' },
      { backoff: constant, capAt: 'after-jitter', maxDelay: 1_001 },
    ],
    [
      'CAP_ERASES_JITTER',
      { backoff: { type: 'decorrelated', base: '1s' }, capAt: 'after-jitter', maxDelay: '9s' },
      { backoff: { type: 'decorrelated', base: '1s' }, capAt: 'after-jitter', maxDelay: 9_001 },
    ],
    [
      'GRANULARITY_OVER_CAP',
      { backoff: constant, maxDelay: '1s', granularity: 1_001 },
      { backoff: constant, maxDelay: '1s', granularity: '1s' },
    ],
    [
      'UNREACHABLE_ATTEMPTS',
      { backoff: constant, jitter: 'equal', totalTimeout: '1s' },
      { backoff: constant, jitter: 'equal', totalTimeout: 1_001 },
    ],
    [
      'TIMEOUT_OVER_DEADLINE',
      { attemptTimeout: '2s', totalTimeout: '2s' },
      { attemptTimeout: 1_999, totalTimeout: '2s' },
    ],
  ])('finds %s in %j, and nothing in %j', (code, found, cured) => {
    expect(codesOf(found)).toEqual([code]);
    expect(codesOf(cured)).toEqual([]);
  });

  it.each<[LintCode, PolicyInput]>([
    ['NO_JITTER', { jitter: 'none', maxAttempts: 1 }],
    ['NO_JITTER', { backoff: { type: 'decorrelated', base: '1s' } }],
    ['NO_JITTER', { backoff: { type: 'custom', strategy: () => 5 }, jitter: 'none' }],
    ['NO_WAIT', { backoff: { type: 'none' }, retryable: false }],
    ['NO_WAIT', { backoff: { type: 'none' }, minDelay: '1s' }],
    ['NO_WAIT', { backoff: { type: 'none' }, jitter: { minus: '1s', plus: '1s' } }],
    ['MATCHES_NOTHING', { retryOn: 'everything' }],
    [
      'UNREACHABLE_ATTEMPTS',
      { maxAttempts: Infinity, backoff: constant, jitter: 'equal', totalTimeout: '1m' },
    ],
    ['LONG_WORST_CASE', { maxAttempts: Infinity }],
    ['CAP_ERASES_JITTER', { backoff: constant, capAt: 'after-jitter', jitter: 'none', maxDelay: '1s' }],
    ['TIMEOUT_OVER_DEADLINE', { attemptTimeout: 'Infinity', totalTimeout: '1s' }],
  ])('does not find %s in %j', (code, input) => {
    expect(codesOf(input)).not.toContain(code);
  });

  it('warns of a cap that removes the delay', () => {
    expect(codesOf({ maxDelay: 0 })).toEqual(['NO_WAIT', 'CAP_BELOW_BASE']);
  });

  it('warns of a worst case of an hour and a millisecond, but not of an hour', () => {
    const input = { maxAttempts: 2, jitter: 'equal', backoff: { type: 'constant', base: '1h' } } as const;

    expect(codesOf(input)).toEqual([]);
    expect(codesOf({ ...input, backoff: { type: 'constant', base: 3_600_001 } })).toEqual([
      'LONG_WORST_CASE',
    ]);
  });

  it('counts the time of the attempts in the worst case', () => {
    expect(codesOf({ maxAttempts: 3, attemptTimeout: '30m' })).toEqual(['LONG_WORST_CASE']);
  });

  it.each<[PolicyInput, LintWarning]>([
    [
      { retryable: false },
      {
        code: 'NOT_RETRYABLE',
        path: 'retryable',
        message: 'retryable: false leaves 3 attempts unused',
        cure: 'Write maxAttempts: 1, or retryable: true.',
      },
    ],
    [
      { retryOn: 'nothing' },
      {
        code: 'MATCHES_NOTHING',
        path: 'retryOn',
        message: 'no error is retried',
        cure: 'List the expected errors, or write maxAttempts: 1.',
      },
    ],
    [
      { maxAttempts: Infinity },
      {
        code: 'UNBOUNDED',
        path: 'maxAttempts',
        message: 'it may retry for ever',
        cure: 'Set a totalTimeout, or a maxAttempts.',
      },
    ],
    [
      { maxAttempts: 3, jitter: 'equal', backoff: { type: 'constant', base: '45m' } },
      {
        code: 'LONG_WORST_CASE',
        path: 'maxDelay',
        message: 'it may take 1.5h',
        cure: 'Lower maxDelay or maxAttempts, or set a totalTimeout.',
      },
    ],
    [
      { backoff: { type: 'none' } },
      {
        code: 'NO_WAIT',
        path: 'backoff',
        message: 'it retries without a pause',
        cure: "Use an exponential backoff with jitter: 'full'.",
      },
    ],
    [
      { jitter: 'none' },
      {
        code: 'NO_JITTER',
        path: 'jitter',
        message: 'calls that fail together retry together',
        cure: "Use jitter: 'full'.",
      },
    ],
    [
      { backoff: { type: 'exponential', base: 100, factor: 0.9 } },
      {
        code: 'SHRINKING_DELAY',
        path: 'backoff.factor',
        message: 'delays shrink from retry to retry',
        cure: 'Use a factor of at least 1.',
      },
    ],
    [
      { backoff: constant, maxDelay: 999 },
      {
        code: 'CAP_BELOW_BASE',
        path: 'maxDelay',
        message: 'the cap is below the base, so the backoff never shows',
        cure: 'Raise maxDelay above backoff.base.',
      },
    ],
    [
      { backoff: constant, capAt: 'after-jitter', maxDelay: '1s' },
      {
        code: 'CAP_ERASES_JITTER',
        path: 'capAt',
        message: 'late delays pile up exactly at maxDelay',
        cure: "Use capAt: 'before-jitter'.",
      },
    ],
    [
      { backoff: constant, maxDelay: '1s', granularity: 1_001 },
      {
        code: 'GRANULARITY_OVER_CAP',
        path: 'granularity',
        message: 'every delay is rounded down to 0',
        cure: 'Use a granularity of at most maxDelay.',
      },
    ],
    [
      { maxAttempts: 5, jitter: 'equal', backoff: constant, totalTimeout: '1.2s' },
      {
        code: 'UNREACHABLE_ATTEMPTS',
        path: 'totalTimeout',
        message: 'at most 3 of 5 attempts fit',
        cure: 'Raise totalTimeout, or lower maxAttempts or the delays.',
      },
    ],
    [
      { attemptTimeout: '2s', totalTimeout: '2s' },
      {
        code: 'TIMEOUT_OVER_DEADLINE',
        path: 'attemptTimeout',
        message: 'one slow attempt uses up the whole totalTimeout',
        cure: 'Use an attemptTimeout well below totalTimeout.',
      },
    ],
  ])('returns the path, the message and the cure for %j', (input, warning) => {
    expect(lintPolicy(definePolicy({ retryOn: [Error], ...input }))).toEqual([warning]);
  });

  it('warns of delays that pile up at the cap only in late retries', () => {
    // 1, 2, 4, 8 and 16 s: the fourth is the first to reach the cap
    const input = {
      backoff: { type: 'exponential', base: '1s' },
      capAt: 'after-jitter',
      maxDelay: '8s',
    } as const;

    expect(codesOf({ ...input, maxAttempts: 6 })).toEqual(['CAP_ERASES_JITTER']);
    expect(codesOf({ ...input, maxAttempts: 4 })).toEqual([]);
  });

  it('does not warn of piled-up delays without retries', () => {
    expect(codesOf({ capAt: 'after-jitter', maxAttempts: 1 })).toEqual([]);
  });

  it('returns its warnings in the order of the codes', () => {
    const input = {
      maxAttempts: Infinity,
      jitter: 'none',
      retryOn: 'nothing',
      backoff: { type: 'exponential', base: '1s', factor: 0.5 },
      maxDelay: 500,
    } as const;

    expect(codesOf(input)).toEqual([
      'MATCHES_NOTHING',
      'UNBOUNDED',
      'NO_JITTER',
      'SHRINKING_DELAY',
      'CAP_BELOW_BASE',
    ]);
  });

  it('warns that a policy may not let a server recover, where calls arrive by themselves and share no budget', () => {
    const policy = definePolicy({ maxAttempts: 4, retryOn: [Error] });

    expect(lintPolicy(policy, { traffic: 'open' })).toEqual([
      {
        code: 'MAY_NOT_RECOVER',
        path: 'maxAttempts',
        message:
          'while every attempt fails it sends 4 times the calls, whatever its delays. ' +
          'In 100 simulated surges, 3 attempts with full jitter kept the server down in 100, with a budget of 10 % in 0',
        cure: "Share a retry budget: createRetryBudget({ type: 'ratio', ratio: 0.1 }).",
      },
    ]);
    expect(lintPolicy(policy, { traffic: 'open', hasBudget: true })).toEqual([]);
    expect(lintPolicy(policy, { traffic: 'closed' })).toEqual([]);
    expect(lintPolicy(definePolicy({ maxAttempts: 1 }), { traffic: 'open' })).toEqual([]);
  });

  it('multiplies attempts by the requests that a client sends in each', () => {
    const of = (input: PolicyInput, requestsPerAttempt: number): readonly string[] =>
      lintPolicy(definePolicy({ retryOn: [Error], ...input }), { requestsPerAttempt })
        .filter(({ code }) => code === 'REPEATED_BELOW')
        .map(({ message }) => message);

    expect(of({ maxAttempts: 3 }, 6)).toEqual(['3 attempts of 6 requests are up to 18 requests']);
    expect(of({ maxAttempts: Infinity }, 6)).toEqual(['each attempt is up to 6 requests']);
    expect([...of({ maxAttempts: 3 }, 1), ...of({ maxAttempts: 1 }, 6)]).toEqual([]);
    expect(() => lintPolicy(definePolicy(), { requestsPerAttempt: 0.5 })).toThrow('requestsPerAttempt');
  });

  it('refuses options that it does not know', () => {
    const policy = definePolicy();

    expect(() => lintPolicy(policy, { traffic: 'half-open' } as never)).toThrow(
      'traffic is not one of the choices',
    );
    expect(() => lintPolicy(policy, { budget: true } as never)).toThrow('budget is not a known key');
  });
});
