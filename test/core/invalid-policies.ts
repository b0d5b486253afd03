import type { PolicyInput } from '@retry/core';
import fc from 'fast-check';
import { policyInputs } from '../support/arbitraries.ts';

/** A policy with one problem, and the path to report. */
export interface InvalidPolicy {
  readonly path: string;
  readonly input: PolicyInput;
}

const NOT_DURATIONS = [-1, Number.NaN, '', 'soon', '5', '-5s', '5 s', '1e3ms', '2 weeks', null, {}, true];
const MATCHER_LIST = [null, 'Error', Error, { name: 'Error' }, 5];

/** Each row: the path to report, the key of the policy that is set, and wrong values for it. */
const BROKEN: readonly (readonly [path: string, key: string, values: readonly unknown[]])[] = [
  ['maxAttempts', 'maxAttempts', [0, -1, 1.5, Number.NaN, -Infinity, '3', true, {}, []]],
  ['backoff', 'backoff', [null, 5, 'exponential', [], () => 100]],
  ['backoff.type', 'backoff', [{}, { type: 'quadratic' }, { type: 'constructor' }, { type: ['none'] }]],
  ['backoff.base', 'backoff', wrong('base', [...NOT_DURATIONS, undefined, Infinity], { type: 'constant' })],
  ['backoff.base', 'backoff', wrong('base', NOT_DURATIONS, { type: 'custom', strategy: () => 1 })],
  ['backoff.increment', 'backoff', wrong('increment', NOT_DURATIONS, { type: 'linear', base: 1 })],
  [
    'backoff.factor',
    'backoff',
    wrong('factor', [-1, Number.NaN, Infinity, '2'], { type: 'exponential', base: 1 }),
  ],
  ['backoff.factor', 'backoff', wrong('factor', [2], { type: 'constant', base: 1 })],
  [
    'backoff.delays',
    'backoff',
    wrong('delays', [undefined, [], 5, ['1s', -1], [Infinity]], { type: 'list' }),
  ],
  [
    'backoff.strategy',
    'backoff',
    wrong('strategy', [async () => 1, undefined, null, 5, 'absent', '__proto__', {}, [1].values()], {
      type: 'custom',
    }),
  ],
  ['jitter', 'jitter', [null, 'half', true, [], 0.5]],
  [
    'jitter.proportional',
    'jitter',
    wrong('proportional', [-0.1, 1.1, Number.NaN, '0.1', undefined, null, Infinity]),
  ],
  ['initialDelay', 'initialDelay', [...NOT_DURATIONS, Infinity]],
  ['retryTimeouts', 'retryTimeouts', [null, 0, 'yes']],
  ['idempotent', 'idempotent', [null, 0, 'yes']],
  ['retryOn[0].errno', 'retryOn', [{}, '', [], null].map((errno) => [{ errno }])],
  ['retryOn[0].sqlState', 'retryOn', [5, '', [], null].map((sqlState) => [{ sqlState }])],
  ['retryOn[0].label', 'retryOn', [5, '', [], null].map((label) => [{ label }])],
  ['retryOn[0].retryable', 'retryOn', [false, 'yes', null].map((retryable) => [{ retryable }])],
  ['retryOn[0].anywhere', 'retryOn', [[{ anywhere: [] }], [{ anywhere: 5 }]]],
  ['retryOn[0].anywhere[1].code', 'retryOn', [[{ anywhere: [{ code: 'x' }, { code: {} }] }]]],
  ['retryOn[0].unless', 'retryOn', [[{ code: 'x', unless: [] }]]],
  ['retryOn[0].ambiguous', 'retryOn', [false, 'yes', null].map((ambiguous) => [{ code: 'x', ambiguous }])],
  ['retryOn[0].anywhere[0].ambiguous', 'retryOn', [[{ anywhere: [{ code: 'x', ambiguous: true }] }]]],
  ['jitter.down', 'jitter', wrong('down', [-0.1, 1.1, Number.NaN, '0.1', null, Infinity])],
  ['jitter.plus', 'jitter', wrong('plus', [...NOT_DURATIONS, Infinity])],
  ['jitter', 'jitter', [{ down: 0.1, proportional: 0.1 }]],
  ['minDelay', 'minDelay', [...NOT_DURATIONS, Infinity]],
  ['maxDelay', 'maxDelay', NOT_DURATIONS],
  ['capAt', 'capAt', [null, 'before', true]],
  ['granularity', 'granularity', [...NOT_DURATIONS, 0.5, Infinity]],
  ['retryOn', 'retryOn', [...MATCHER_LIST, [], 'all']],
  ['stopOn', 'stopOn', [...MATCHER_LIST, 'nothing', 'everything']],
  ['retryOn[0]', 'retryOn', [[null], ['Error'], [5], [[]], [{}], [undefined]]],
  ['stopOn[1].code', 'stopOn', [{}, '', [], [Number.NaN], null].map((code) => [Error, { code }])],
  ['retryOn[0].name', 'retryOn', [5, '', [''], null].map((name) => [{ name }])],
  ['retryOn[0].status', 'retryOn', ['503', 503.5, [503, null]].map((status) => [{ status }])],
  [
    'retryOn[0].message',
    'retryOn',
    ['', 5, null, [], { pattern: 'x' }, { pattern: 'x', flags: 'i' }].map((message) => [{ message }]),
  ],
  ['retryOn[0].message.glob', 'retryOn', [{ glob: '' }, { glob: 5 }, {}].map((message) => [{ message }])],
  ['retryOn[0].message[1].except', 'retryOn', [[{ message: ['x', { glob: 'x', except: [''] }] }]]],
  ['retryOn[0].message.ignoreCase', 'retryOn', [[{ message: { glob: 'x', ignoreCase: false } }]]],
  ['retryOn[0].retryAfter', 'retryOn', [false, 'yes', null].map((retryAfter) => [{ retryAfter }])],
  ['retryOn[0]', 'retryOn', [[async () => true]]],
  ['retryOn[0].cause', 'retryOn', [[{ cause: async () => true }]]],
  ['retryOn[0].cause.code', 'retryOn', [[{ cause: { code: {} } }]]],
  [
    'retryIf',
    'retryIf',
    [
      ...[
        async () => true,
        { test: async () => true },
        null,
        true,
        'absent',
        'constructor',
        {},
        { test: true },
      ],
      ...[/timed out/, TypeError, class extends Error {}, new Map(), [() => true]],
    ],
  ],
  ['attemptTimeout', 'attemptTimeout', [...NOT_DURATIONS, 0, '0s']],
  ['totalTimeout', 'totalTimeout', [...NOT_DURATIONS, 0, '0s']],
  ['retryAfter', 'retryAfter', [5, '60s', []]],
  ['retryAfter.max', 'retryAfter', wrong('max', NOT_DURATIONS)],
  ['retryAfter.mode', 'retryAfter', wrong('mode', [null, 'cap'])],
  ['retryable', 'retryable', [null, 0, 'yes']],
  ['retries', 'retries', [3]],
  ['retryAfter.maximum', 'retryAfter', wrong('maximum', ['60s'])],
  ['stopOn[0].status_code', 'stopOn', [[{ status_code: 5 }]]],
];

/** A valid policy with one value replaced by a wrong one. */
export const invalidPolicies: fc.Arbitrary<InvalidPolicy> = fc
  .tuple(policyInputs, fc.constantFrom(...BROKEN))
  .chain(([valid, [path, key, values]]) =>
    fc.constantFrom(...values).map((value) => ({ path, input: { ...valid, [key]: value } })),
  );

/** An object for each value, that has it under `key`. */
function wrong(key: string, values: readonly unknown[], rest: object = {}): readonly object[] {
  return values.map((value) => ({ ...rest, [key]: value }));
}
