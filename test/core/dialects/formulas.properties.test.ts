import { decide, delayBounds } from '@retry/core';
import { ALL_SYSTEMS } from '@retry/core/dialects/all';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codesOf } from './problems.ts';

function read(name: string, options: object) {
  const system = ALL_SYSTEMS.find((known) => known.name === name);
  if (system === undefined) throw new Error(`no system ${name}`);
  return system.from({ ...options });
}

/** The delay of each retry, which none of these systems draws. */
function delayOf(name: string, options: object, retry: number) {
  return delayBounds(read(name, options).policy, retry)[1];
}

function attemptsOf(name: string, options: object) {
  return allowedAttempts(settingsOf(read(name, options).policy));
}

describe('RQ', () => {
  // rq/job.py of 2.10.0: Job.get_retry_interval, with retries_left from max down to 1.
  it('waits before each retry what get_retry_interval returns, whatever the length of the list', () => {
    const intervals = fc.array(fc.integer({ min: 0, max: 86_400 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), intervals, (max, interval) => {
        const { policy, warnings } = read('rq', { max, interval });
        const delays = [];
        for (let retriesLeft = max; retriesLeft > 0; retriesLeft -= 1) {
          delays.push((interval[Math.max(interval.length - retriesLeft, 0)] ?? 0) * 1_000);
        }

        expect(delays.map((_, index) => delayBounds(policy, index + 1)[0])).toEqual(delays);
        expect(allowedAttempts(settingsOf(policy))).toBe(max + 1);
        expect(warnings).toEqual([]);
      }),
    );
  });

  it('says that the end of a list is not reached after more retries than a list has delays', () => {
    expect(codesOf(read('rq', { max: 20_000, interval: [10, 30] }).warnings)).toEqual(['DIFFERS interval']);
    expect(read('rq', { max: 10_001, interval: [10, 10] }).warnings).toEqual([]);
    expect(read('rq', { max: 10_000, interval: [10, 30] }).warnings).toEqual([]);
  });
});

describe('Cloud Tasks', () => {
  /** `Retry.CalculateBackoffUsec` of taskqueue_stub.py in Google's App Engine SDK, in milliseconds. */
  function backoff(retry: number, { min, max, doublings }: { min: number; max: number; doublings: number }) {
    const exponent = Math.min(retry - 1, doublings);
    const linearSteps = retry - exponent;
    return Math.min(min * 2 ** Math.min(exponent, 1_023) * Math.max(linearSteps, 1), max);
  }

  const growths = fc.record({
    min: fc.integer({ min: 1, max: 10_000 }),
    max: fc.integer({ min: 1, max: 100_000_000 }),
    doublings: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 5_000 })),
  });

  function optionsOf({ min, max, doublings }: { min: number; max: number; doublings: number }) {
    return { minBackoff: `${min}ms`, maxBackoff: `${max}ms`, maxDoublings: doublings };
  }

  it('waits before each retry what its stub computes, or says that it does not', () => {
    fc.assert(
      fc.property(growths, fc.integer({ min: 1, max: 30_000 }), (growth, retry) => {
        const { policy, warnings } = read('cloud-tasks', { ...optionsOf(growth), maxAttempts: -1 });
        const isCut = codesOf(warnings).includes('DIFFERS cloud-tasks');

        if (!isCut || retry <= 10_000) {
          expect(delayBounds(policy, retry)[0]).toBeCloseTo(backoff(retry, growth), 4);
        }
        expect(isCut).toBe(backoff(10_001, growth) !== backoff(10_000, growth) && growth.doublings > 0);
      }),
    );
  });

  it('makes as many attempts as fit in maxRetryDuration, at least maxAttempts', () => {
    fc.assert(
      fc.property(
        growths,
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: -1, max: 50 }),
        (growth, limitMs, maxAttempts) => {
          let [elapsedMs, attempts] = [0, 1];
          while (elapsedMs < limitMs) {
            elapsedMs += backoff(attempts, growth);
            attempts += 1;
          }
          const given = { ...optionsOf(growth), maxRetryDuration: `${limitMs}ms`, maxAttempts };
          const least = maxAttempts === -1 ? 1 : maxAttempts || 100;

          expect(attemptsOf('cloud-tasks', given)).toBe(Math.max(attempts, least));
        },
      ),
    );
  });

  it.each([
    [{ maxAttempts: -1 }, Infinity],
    [{ maxAttempts: -1, maxRetryDuration: '0s' }, Infinity],
    [{ maxAttempts: -1, minBackoff: '1s', maxBackoff: '1s', maxRetryDuration: '604800s' }, 604_801],
    [{ maxRetryDuration: '1s' }, 100],
  ])('with %j allows %d attempts', (options, attempts) => {
    expect(attemptsOf('cloud-tasks', options)).toBe(attempts);
  });

  it('ends attempts without a delay when their time is over', () => {
    const { policy } = read('cloud-tasks', { maxAttempts: -1, minBackoff: '0s', maxRetryDuration: '60s' });

    expect(settingsOf(policy)).toMatchObject({ maxAttempts: Infinity, totalTimeoutMs: 60_000 });
  });

  it('has no list where a backoff of ours says it', () => {
    expect(settingsOf(read('cloud-tasks', {}).policy).backoff.type).toBe('exponential');
    expect(settingsOf(read('cloud-tasks', { maxDoublings: 0 }).policy).backoff.type).toBe('linear');
  });
});

describe('aria2', () => {
  // HttpSkipResponseCommand.cc and AbstractCommand.cc of 1.37.0.
  it.each([
    [0, 502, 'fail'],
    [0, 503, 'fail'],
    [0, 504, 0],
    [0, undefined, 0],
    [3, 502, 3_000],
    [3, 503, 3_000],
    [3, 504, 3_000],
    [3, undefined, 0],
  ])('with a --retry-wait of %d waits after a status of %s: %s', (wait, status, expected) => {
    const { policy } = read('aria2', { '--retry-wait': wait });
    const decision = decide(policy, { failures: 1 }, { error: { status } }, { now: 0, random: () => 0.5 });

    expect(decision.type === 'retry' ? decision.delayMs : decision.type).toBe(expected);
  });

  it.each([
    [0, Infinity],
    [1, 1],
    [5, 5],
  ])('with --max-tries of %d makes %d tries, with and without a wait', (tries, attempts) => {
    expect(attemptsOf('aria2', { '--max-tries': tries })).toBe(attempts);
    expect(attemptsOf('aria2', { '--max-tries': tries, '--retry-wait': 2 })).toBe(attempts);
  });
});

describe('OpenVPN', () => {
  // socket_restart_pause in init.c of 2.6.14: one remote has been tried as often as there were retries.
  function pause(tries: number, first: number, most: number) {
    let seconds = Math.min(first, 0xffff);
    const backoff = tries - 4;
    if (backoff > 0) seconds = Math.max(seconds, 1) * 2 ** Math.min(backoff, 15);
    return Math.min(seconds, Math.max(most, Math.min(first, 0xffff))) * 1_000;
  }

  it('waits what socket_restart_pause computes, with and without a longest delay', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.nat(100_000),
        fc.option(fc.nat(10_000_000), { nil: undefined }),
        (retry, first, most) => {
          const text = most === undefined ? `${first}` : `${first} ${most}`;
          const expected =
            most === undefined ? Math.min(pause(retry, first, 300), 300_000) : pause(retry, first, most);

          expect(delayOf('openvpn', { 'connect-retry': text }, retry)).toBe(expected);
        },
      ),
    );
  });

  // connect-retry-max of its manual: "Specifying n as 1 would try each entry exactly once."
  it.each([
    [{}, Infinity],
    [{ 'connect-retry-max': 0 }, Infinity],
    [{ 'connect-retry-max': 1 }, 1],
    [{ 'connect-retry-max': 5 }, 5],
  ])('with %j makes %d tries', (options, tries) => {
    expect(attemptsOf('openvpn', options)).toBe(tries);
  });

  it('takes no more than two numbers', () => {
    expect(() => read('openvpn', { 'connect-retry': '1 2 3' })).toThrow('connect-retry must be seconds');
  });
});

// dodialLoop of @nats-io/nats-core 3.4.0: a server is left after as many tries as maxReconnectAttempts, the first one included.
it.each([
  [{}, 10],
  [{ maxReconnectAttempts: 0 }, 1],
  [{ maxReconnectAttempts: 3 }, 3],
  [{ maxReconnectAttempts: -1 }, Infinity],
])('NATS clients with %j try a server %d times', (options, tries) => {
  expect(attemptsOf('nats-core', options)).toBe(tries);
});

// determine_delay of Active Job 6.1 and 8.1: to_i.
it('Active Job cuts a wait to whole seconds, and says so', () => {
  expect(delayOf('activejob', { wait: 2.9 }, 1)).toBe(2_000);
  expect(codesOf(read('activejob', { wait: 2.9 }).warnings)).toEqual(['ROUNDED wait']);
  expect(read('activejob', { wait: 3 }).warnings).toEqual([]);
});

describe('a formula that no backoff has', () => {
  it.each([
    [
      'procrastinate',
      { linear_wait: 2, exponential_wait: 1 },
      (retry: number) => 2_000 * (retry - 1) + 1_000,
    ],
    [
      'retrying',
      { wait_fixed: 500, wait_incrementing_increment: 7 },
      (retry: number) => Math.max(500, 7 * (retry - 1)),
    ],
    [
      'tenacity',
      { wait: 'wait_incrementing(start=1, increment=1) + wait_fixed(2)' },
      (retry: number) => 1_000 * retry + 2_000,
    ],
    ['elixir-retry', { stream: 'linear_backoff(10, 3)' }, (retry: number) => 10 + 3 * (retry - 1)],
  ] as const)(
    'of %s with %j is followed after 64 retries, too, and where it is not a warning says so',
    (name, options, formula) => {
      const { policy, warnings } = read(name, options);

      for (const retry of [1, 64, 65, 200, 9_999, 10_000]) {
        expect(delayBounds(policy, retry)[0]).toBe(formula(retry));
      }
      const isSame = delayBounds(policy, 20_000)[0] === formula(20_000);
      expect(codesOf(warnings).filter((code) => code === `DIFFERS ${name}`).length).toBe(isSame ? 0 : 1);
    },
  );

  it('is no longer than its delays change', () => {
    const { backoff } = settingsOf(
      read('pg-boss', { retryLimit: 5_000, retryBackoff: true, retryDelay: 1 }).policy,
    );

    expect(backoff.type === 'list' && backoff.delaysMs.length).toBe(16);
  });
});
