import { delayBounds } from '@retry/core';
import { ALL_SYSTEMS } from '@retry/core/dialects/all';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';

function read(name: string, options: object) {
  const system = ALL_SYSTEMS.find((known) => known.name === name);
  if (system === undefined) throw new Error(`no system ${name}`);
  return system.from({ ...options });
}

function delaysOf(name: string, options: object, count: number) {
  const { policy } = read(name, options);
  return Array.from({ length: count }, (_, index) => {
    const [least, most] = delayBounds(policy, index + 1);
    return least === most ? least : [least, most];
  });
}

function attemptsOf(name: string, options: object) {
  return allowedAttempts(settingsOf(read(name, options).policy));
}

describe('delays that the documentation or source of a system says', () => {
  it.each([
    // The example of its reference.
    [
      'cloud-tasks',
      { minBackoff: '10s', maxBackoff: '300s', maxDoublings: 3 },
      [10_000, 20_000, 40_000, 80_000, 160_000, 240_000, 300_000, 300_000],
    ],
    ['cloud-tasks', {}, [100, 200, 400, 800]],
    // The examples of its guide.
    ['step-functions', { IntervalSeconds: 3, MaxAttempts: 3, BackoffRate: 2 }, [3_000, 6_000, 12_000]],
    [
      'step-functions',
      { IntervalSeconds: 3, MaxAttempts: 3, BackoffRate: 2, MaxDelaySeconds: 5, JitterStrategy: 'FULL' },
      [
        [0, 3_000],
        [0, 5_000],
        [0, 5_000],
      ],
    ],
    ['kubernetes-job', {}, [10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000]],
    ['temporal', {}, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 100_000, 100_000]],
    ['temporal', { initialInterval: '0s', backoffCoefficient: 3 }, [1_000, 3_000, 9_000]],
    ['polly', {}, [2_000, 2_000]],
    [
      'polly',
      { UseJitter: true, BackoffType: 'Linear', MaxDelay: 5 },
      [
        [1_500, 2_500],
        [3_000, 5_000],
        [4_500, 5_000],
      ],
    ],
    ['node-resque', { retryDelay: 0 }, [5_000, 5_000]],
    ['sqs', {}, [30_000, 30_000]],
    ['resilience4j', {}, [500, 500]],
    // Each delay is made whole before the next one is computed of it: 1687.5 and 2531.25 without that.
    [
      'resilience4j',
      { maxAttempts: 9, waitDuration: '500ms', enableExponentialBackoff: true },
      [500, 750, 1_125, 1_687, 2_530],
    ],
    ['resilience4j', { enableExponentialBackoff: true, exponentialBackoffMultiplier: 2 }, [500, 500]],
    [
      'resilience4j',
      {
        maxAttempts: 9,
        waitDuration: '1s',
        enableExponentialBackoff: true,
        exponentialMaxWaitDuration: '1s',
      },
      [1_000, 1_500, 2_250],
    ],
    [
      'resilience4j',
      {
        waitDuration: '1s',
        enableExponentialBackoff: true,
        exponentialBackoffMultiplier: 2,
        exponentialMaxWaitDuration: '3s',
        enableRandomizedWait: true,
        randomizedWaitFactor: 0.1,
      },
      [[900, 1_100], [1_800, 2_200], 3_000],
    ],
    // The factor of the jitter is read only beside a multiplier.
    [
      'resilience4j',
      {
        waitDuration: '1s',
        enableExponentialBackoff: true,
        enableRandomizedWait: true,
        randomizedWaitFactor: 0.1,
      },
      [
        [500, 1_500],
        [750, 2_250],
      ],
    ],
  ])('%s %j', (name, options, delays) => {
    expect(delaysOf(name, options, delays.length)).toEqual(delays);
  });

  it.each([
    ['agenda', {}, 4],
    ['agenda', { backoff: 'standard' }, 6],
    ['cloud-tasks', {}, 100],
    // Until both limits are reached: 0, 10, 30, 70 s.
    ['cloud-tasks', { maxAttempts: 2, maxRetryDuration: '60s', minBackoff: '10s' }, 4],
    ['cloud-tasks', { maxAttempts: 9, maxRetryDuration: '60s', minBackoff: '10s' }, 9],
    ['kubernetes-job', {}, 7],
    ['laravel-queue', { tries: 0 }, Infinity],
    ['node-resque', { retryLimit: 0 }, 1],
    ['polly', {}, 4],
    ['resilience4j', {}, 3],
    ['sqs', {}, Infinity],
    ['sqs', { deadLetterTargetArn: 'arn:aws:sqs:eu-west-1:1:dead' }, 10],
    ['step-functions', {}, 4],
    ['temporal', {}, Infinity],
  ])('%s %j runs at most %d times', (name, options, attempts) => {
    expect(attemptsOf(name, options)).toBe(attempts);
  });

  it('say so in a warning, with what was read', () => {
    const { warnings } = read('polly', {});

    expect(warnings).toEqual([
      {
        code: 'BY_DOCUMENTATION',
        path: 'polly',
        message:
          'the policy is by its documentation of 2026-11-28 (RetryHelper.cs and RetryConstants.cs of 2026-08-21): Polly itself was not run',
        cure: 'Try it once with your own settings.',
      },
    ]);
  });

  it('name what resilience4j does not read', () => {
    const { warnings } = read('resilience4j', {
      waitDuration: '1s',
      enableExponentialBackoff: true,
      exponentialMaxWaitDuration: '9s',
    });

    expect(warnings.map(({ code, path }) => [code, path])).toContainEqual([
      'WITHOUT_EFFECT',
      'exponentialMaxWaitDuration',
    ]);
  });
});

it('pg-boss doubles a delay 15 times at most, as its statement says', () => {
  const { policy } = read('pg-boss', { retryLimit: 20, retryBackoff: true, retryDelay: 1 });

  expect([15, 16, 17, 20].map((retry) => delayBounds(policy, retry))).toEqual([
    [16_384_000, 32_768_000],
    [32_768_000, 65_536_000],
    [32_768_000, 65_536_000],
    [32_768_000, 65_536_000],
  ]);
});
