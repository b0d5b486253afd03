import { definePolicy, isRetryError, type PolicyInput } from '@retry/core';
import { ALL_SYSTEMS } from '@retry/core/dialects/all';
import { type ExportedSystem, exportPolicy } from '@retry/core/dialects/export';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const DOUBLED: PolicyInput = {
  maxAttempts: 5,
  backoff: { type: 'exponential', base: '1s' },
  jitter: 'none',
  maxDelay: '1m',
  retryAfter: { mode: 'ignore' },
};

const BY_GRPC: PolicyInput['retryAfter'] = { mode: 'replace', max: 'Infinity', jitter: 'none' };

const SHRINKING: PolicyInput = { ...DOUBLED, backoff: { type: 'exponential', base: '8s', factor: 0.5 } };

describe('exportPolicy', () => {
  it.each<[ExportedSystem, PolicyInput, object]>([
    [
      'bullmq',
      { ...DOUBLED, maxDelay: 'Infinity' },
      { attempts: 5, backoff: { type: 'exponential', delay: 1_000, jitter: 0 } },
    ],
    ['p-retry', DOUBLED, { retries: 4, minTimeout: 1_000, factor: 2, maxTimeout: 60_000, randomize: false }],
    [
      'bullmq',
      { ...DOUBLED, maxDelay: 'Infinity', jitter: 'full' },
      { attempts: 5, backoff: { type: 'exponential', delay: 1_000, jitter: 1 } },
    ],
    [
      'pg-boss',
      { ...DOUBLED, jitter: 'bounded', capAt: 'after-jitter' },
      { retryLimit: 4, retryDelay: 1, retryBackoff: true, retryDelayMax: 60 },
    ],
    [
      'temporal',
      DOUBLED,
      { initialInterval: '1000ms', backoffCoefficient: 2, maximumInterval: '60000ms', maximumAttempts: 5 },
    ],
    [
      'step-functions',
      { ...DOUBLED, jitter: 'full' },
      { IntervalSeconds: 1, MaxAttempts: 4, BackoffRate: 2, MaxDelaySeconds: 60, JitterStrategy: 'FULL' },
    ],
    [
      'laravel',
      { ...DOUBLED, backoff: { type: 'list', delays: ['1s', '5s'] } },
      { tries: 5, backoff: [1, 5] },
    ],
    ['nats', DOUBLED, { max_deliver: 5, backoff: ['1000ms', '2000ms', '4000ms', '8000ms'] }],
    [
      'tenacity',
      { ...DOUBLED, jitter: 'full' },
      { stop_after_attempt: 5, wait: 'wait_random_exponential(multiplier=1, max=60, exp_base=2)' },
    ],
    [
      'cockatiel',
      { ...DOUBLED, jitter: 'equal' },
      { maxAttempts: 4, generator: 'halfJitterGenerator', initialDelay: 1_000, maxDelay: 60_000 },
    ],
    [
      'cloud-tasks',
      { ...DOUBLED, backoff: { type: 'constant', base: '2s' } },
      { maxAttempts: 5, minBackoff: '2s', maxBackoff: '2s', maxDoublings: 0 },
    ],
    [
      'cloud-tasks',
      { ...DOUBLED, backoff: { type: 'linear', base: '2s' } },
      { maxAttempts: 5, minBackoff: '2s', maxBackoff: '8s', maxDoublings: 0 },
    ],
    [
      'cloud-tasks',
      { ...DOUBLED, maxAttempts: 100, maxDelay: '1h', backoff: { type: 'linear', base: '2s' } },
      { maxAttempts: 100, minBackoff: '2s', maxBackoff: '198s', maxDoublings: 0 },
    ],
    [
      'cloud-tasks',
      { ...DOUBLED, maxAttempts: 30, maxDelay: '365d', backoff: { type: 'exponential', base: '1ms' } },
      { maxAttempts: 30, minBackoff: '0.001s', maxBackoff: '31536000s', maxDoublings: 29 },
    ],
    [
      'laravel',
      { ...DOUBLED, maxAttempts: 60, backoff: { type: 'linear', base: '1s' } },
      { tries: 60, backoff: Array.from({ length: 59 }, (_, index) => index + 1) },
    ],
    [
      'resilience4j',
      {
        ...DOUBLED,
        backoff: { type: 'constant', base: '1s' },
        jitter: { proportional: 0.2 },
        maxDelay: '1h',
      },
      { maxAttempts: 5, waitDuration: '1000ms', enableRandomizedWait: true, randomizedWaitFactor: 0.2 },
    ],
  ])('writes a policy for %s that says all of it', (system, input, options) => {
    expect(exportPolicy(definePolicy(input), system)).toEqual({ options, lost: [] });
  });

  it.each<[ExportedSystem, PolicyInput, unknown]>([
    [
      'bullmq',
      { ...DOUBLED, maxAttempts: 20, maxDelay: '1h' },
      expect.stringMatching(/^retry 13 waits .+ there, 1h here$/),
    ],
    [
      'laravel',
      { ...DOUBLED, maxAttempts: 2_000, maxDelay: '1h', backoff: { type: 'linear', base: '1s' } },
      'retry 1999 waits 16.67m there, 33.32m here',
    ],
    ['nats', { ...DOUBLED, maxAttempts: Infinity }, 'retry 2 waits 1s there, 2s here'],
    [
      'step-functions',
      {
        ...DOUBLED,
        maxAttempts: Infinity,
        backoff: { type: 'list', delays: [...Array(1_200).fill('1s'), '2s'] },
      },
      'retry 1000000 waits 1s there, 2s here',
    ],
  ])('finds for %s a delay that differs late', (system, input, why) => {
    expect(exportPolicy(definePolicy(input), system).lost).toContainEqual(
      expect.objectContaining({ key: 'backoff', why }),
    );
  });

  // nats-server 2.9.10 answers 10116 to a backoff that is not shorter than max_deliver.
  it.each([
    [1, { max_deliver: 1 }],
    [2, { max_deliver: 2, backoff: ['1000ms'] }],
    [Infinity, { ack_wait: '1000ms' }],
  ])('writes for NATS no backoff of %d attempts that its server refuses', (maxAttempts, options) => {
    expect(exportPolicy(definePolicy({ ...DOUBLED, maxAttempts }), 'nats').options).toEqual(options);
  });

  it('lists what is different, by the delays of the first retry that differs', () => {
    const { lost } = exportPolicy(
      definePolicy({ ...DOUBLED, backoff: { type: 'linear', base: '1s' }, retryOn: [{ status: 503 }] }),
      'bullmq',
    );

    expect(lost).toEqual([
      { key: 'backoff', why: 'retry 3 waits 4s there, 3s here', nearest: '4s' },
      {
        key: 'retryOn',
        why: 'it is not written by an export',
        nearest: 'the filter of errors of that system',
      },
    ]);
  });

  it('says that a delay which a server asks for is not followed there', () => {
    const { lost } = exportPolicy(definePolicy({ ...DOUBLED, retryAfter: { max: '1m' } }), 'temporal');

    expect(lost).toEqual([
      {
        key: 'retryAfter',
        why: 'a delay that a server asks for is not followed there',
        nearest: 'the delays of the policy itself',
      },
    ]);
  });

  // gRPC proposal A6: a pushback replaces the delay, whatever the client's own would be.
  it.each<PolicyInput['retryAfter']>([
    { mode: 'ignore' },
    { ...BY_GRPC, mode: 'floor' },
    { ...BY_GRPC, max: '1m' },
    { ...BY_GRPC, jitter: { up: 0.1 } },
  ])('says that gRPC follows a delay of the server otherwise than by %j', (retryAfter) => {
    const { lost } = exportPolicy(definePolicy({ ...DOUBLED, retryAfter }), 'grpc');

    expect(lost).toContainEqual({
      key: 'retryAfter',
      why: 'a delay that a server asks for replaces the own one there, however long it is',
      nearest: 'that delay',
    });
  });

  it('says nothing of a delay of the server that is followed as by gRPC', () => {
    const written: readonly PolicyInput['retryAfter'][] = [BY_GRPC, { ...BY_GRPC, beyondMax: 'clamp' }];
    const policies: readonly PolicyInput[] = [
      ...written.map((retryAfter) => ({ retryAfter })),
      { maxAttempts: 1 },
    ];
    const lost = policies.flatMap(
      (input) => exportPolicy(definePolicy({ ...DOUBLED, ...input }), 'grpc').lost,
    );

    expect(lost.filter(({ key }) => key === 'retryAfter')).toEqual([]);
  });

  it('turns the counting right, and says where a system allows fewer attempts', () => {
    const { options, lost } = exportPolicy(
      definePolicy({
        ...DOUBLED,
        maxAttempts: 9,
        jitter: { proportional: 0.2 },
        capAt: 'ignores-jitter',
        retryAfter: BY_GRPC,
      }),
      'grpc',
    );

    expect(options).toMatchObject({ retryPolicy: { maxAttempts: 5 } });
    expect(lost).toEqual([{ key: 'maxAttempts', why: '5 attempts there, 9 here', nearest: '5' }]);
  });

  it.each<[ExportedSystem, PolicyInput, object]>([
    ['sqs', { ...DOUBLED, maxAttempts: 5_000 }, { maxReceiveCount: 1_000 }],
    [
      'step-functions',
      { ...DOUBLED, backoff: { type: 'none' } },
      { IntervalSeconds: 1, MaxAttempts: 4, BackoffRate: 1, JitterStrategy: 'NONE' },
    ],
    ['step-functions', SHRINKING, { BackoffRate: 1 }],
    ['step-functions', { ...DOUBLED, maxDelay: '400d' }, { MaxDelaySeconds: 31_622_400 }],
    [
      'temporal',
      { ...DOUBLED, backoff: { type: 'none' } },
      { initialInterval: '1ms', maximumInterval: '1ms' },
    ],
    ['temporal', SHRINKING, { backoffCoefficient: 1 }],
    ['resilience4j', SHRINKING, { exponentialBackoffMultiplier: 1 }],
    [
      'grpc',
      { ...DOUBLED, backoff: { type: 'none' } },
      { retryPolicy: { initialBackoff: '0.001s', maxBackoff: '0.001s' } },
    ],
  ])('writes for %s nothing that is refused there', (system, input, options) => {
    const { options: written } = exportPolicy(definePolicy(input), system);

    expect(written).toMatchObject(options);
  });

  it('refuses a system that nothing is exported to', () => {
    const act = () => exportPolicy(definePolicy(), 'huey' as never);

    expect(act).toThrow('Use one of bullmq, pg-boss');
    try {
      act();
    } catch (error) {
      expect(isRetryError(error, 'INVALID_OPTIONS')).toBe(true);
    }
  });

  it('loses nothing of a policy that comes from the same system', () => {
    const delays = fc.integer({ min: 1, max: 100_000 });
    const attempts = fc.integer({ min: 2, max: 8 });
    const factors = fc.constantFrom(1.5, 2, 3);
    const given = fc.oneof(
      fc.tuple(
        fc.constant('bullmq' as const),
        fc.record({
          attempts,
          backoff: fc.record({
            type: fc.constantFrom('fixed', 'exponential'),
            delay: delays,
            jitter: fc.constantFrom(0, 0.25, 1),
          }),
        }),
      ),
      fc.tuple(
        fc.constant('p-retry' as const),
        fc.record({ retries: attempts, minTimeout: delays, factor: factors, randomize: fc.boolean() }),
      ),
      fc.tuple(
        fc.constant('step-functions' as const),
        fc.record({
          MaxAttempts: attempts,
          IntervalSeconds: fc.integer({ min: 1, max: 600 }),
          BackoffRate: factors,
          JitterStrategy: fc.constantFrom('NONE', 'FULL'),
        }),
      ),
      fc.tuple(
        fc.constant('temporal' as const),
        fc.record({
          maximumAttempts: attempts,
          initialInterval: delays.map((ms) => `${ms}ms`),
          backoffCoefficient: factors,
        }),
      ),
      fc.tuple(
        fc.constant('sqs' as const),
        fc.record({ maxReceiveCount: attempts, VisibilityTimeout: fc.integer({ min: 0, max: 43_200 }) }),
      ),
      fc.tuple(
        fc.constant('pg-boss' as const),
        fc.record({
          retryLimit: attempts,
          retryDelay: fc.integer({ min: 1, max: 600 }),
          retryBackoff: fc.boolean(),
        }),
      ),
    );
    fc.assert(
      fc.property(given, ([name, options]) => {
        const policy =
          ALL_SYSTEMS.find((system) => system.name === name)?.from(options).policy ?? definePolicy();

        expect(exportPolicy(policy, name).lost).toEqual([]);
      }),
    );
  });
});
