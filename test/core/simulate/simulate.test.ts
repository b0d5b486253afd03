import { definePolicy } from '@retry/core';
import type { Timeline, WorldInput } from '@retry/core/simulate';
import { compare, simulate } from '@retry/core/simulate';
import { describe, expect, it } from 'vitest';

const UNLIMITED = { type: 'capacity', perSecond: 'Infinity' } as const;

/** Ten calls a second that all fail, for a while. */
const FAILING = {
  traffic: { perSecond: 10 },
  server: UNLIMITED,
  errorShare: 1,
  duration: '20s',
} as const satisfies WorldInput;

const AT_ONCE = definePolicy({ maxAttempts: 3, backoff: { type: 'none' } });

const OUTAGE = {
  traffic: { perSecond: 50 },
  server: { type: 'capacity', perSecond: 80, latency: 20, queue: '4s' },
  network: { type: 'normal', mean: 10, deviation: 3 },
  trouble: { type: 'outage', at: '5s', for: '5s' },
  attemptTimeout: '1s',
  duration: '45s',
} as const satisfies WorldInput;

function loadOf({ buckets }: Timeline): readonly number[] {
  return buckets.map(({ attempts }) => Math.round(attempts.mean * 30));
}

describe('simulate', () => {
  it('has the same timeline for the same seed, and another one for another seed', () => {
    const policy = definePolicy({ maxAttempts: 4 });

    expect(simulate(policy, OUTAGE, { seed: 3 })).toEqual(simulate(policy, OUTAGE, { seed: 3 }));
    expect(loadOf(simulate(policy, OUTAGE, { seed: 4 }))).not.toEqual(
      loadOf(simulate(policy, OUTAGE, { seed: 3 })),
    );
  });

  it('calls onRun after each seed, which changes nothing', () => {
    const policy = definePolicy({ maxAttempts: 2 });
    const seen: number[] = [];

    const timeline = simulate(policy, FAILING, { runs: 31, onRun: (run) => seen.push(run) });

    expect(seen).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
    expect(timeline).toEqual(simulate(policy, FAILING, { runs: 31 }));
  });

  // test/runtimes expects the same of other engines.
  it('has the same timeline on every engine, to the last digit', () => {
    const policy = definePolicy({
      maxAttempts: Infinity,
      backoff: { type: 'exponential', base: 10 },
      maxDelay: '2s',
    });
    const world = {
      traffic: { type: 'closed', clients: 10, calls: 3, pause: 20 },
      server: { type: 'optimistic-lock' },
      network: { type: 'normal', mean: 10, deviation: 2 },
    } as const;

    expect(simulate(policy, world).lastEndMs.median).toBe(1_347.565515271956);
  });

  it('makes as many attempts as the policy allows, and multiplies them by layers', () => {
    expect(simulate(AT_ONCE, FAILING).amplification.median).toBe(3);
    expect(simulate(AT_ONCE, { ...FAILING, layers: 3 }).amplification.median).toBe(27);
  });

  it('makes no retry that the error rules forbid', () => {
    const policy = definePolicy({ maxAttempts: 3, backoff: { type: 'none' }, retryOn: [{ status: 429 }] });

    expect(simulate(policy, FAILING).amplification.median).toBe(1);
    expect(simulate(policy, { ...FAILING, error: { status: 429 } }).amplification.median).toBe(3);
  });

  it('keeps to the total timeout and to the initial delay', () => {
    const policy = definePolicy({
      maxAttempts: 10,
      initialDelay: '1s',
      backoff: { type: 'constant', base: '1s' },
      jitter: 'none',
      totalTimeout: '4s',
    });
    const world = { ...FAILING, traffic: { type: 'closed', clients: 1, calls: 1 } } as const;

    const { buckets, lastEndMs } = simulate(policy, world);

    expect(buckets.slice(0, 5).map(({ attempts }) => attempts.median)).toEqual([0, 1, 1, 1, 0]);
    expect(lastEndMs.median).toBe(3_000);
  });

  it('cuts attempts at the shorter timeout, and the server works on them to their end', () => {
    const server = { type: 'capacity', perSecond: 1, queue: 'Infinity' } as const;
    const traffic = { type: 'closed', clients: 2, calls: 1 } as const;
    const policy = definePolicy({ maxAttempts: 2, backoff: { type: 'none' }, attemptTimeout: '1500ms' });

    const alone = simulate(policy, { server, traffic: { ...traffic, clients: 1 } });
    const both = simulate(policy, { server, traffic });

    expect(alone.lastEndMs.median).toBe(1_000);
    // The second waits behind the first, gives up after 1.5 s, and comes again behind its own first attempt.
    expect(both.attempts.median).toBe(3);
    expect(both.lastEndMs.median).toBe(3_000);
  });

  it('spreads the calls over processes, each with a budget of its own', () => {
    const budget = { type: 'token-bucket', capacity: 5, costs: { default: 1 } } as const;

    const [shared, own] = [1, 4].map((processes) => simulate(AT_ONCE, { ...FAILING, budget, processes }));

    expect(Number(shared?.attempts.median) - Number(shared?.calls.median)).toBe(5);
    expect(Number(own?.attempts.median) - Number(own?.calls.median)).toBe(20);
  });

  it('has one budget for all processes, if it is shared, whatever their number', () => {
    const budget = { type: 'shared', perSecond: 0, burst: 20 } as const;

    const retries = [1, 4, 16].map((processes) => {
      const { attempts, calls } = simulate(AT_ONCE, { ...FAILING, budget, processes });
      return attempts.median - calls.median;
    });

    for (const count of retries) {
      expect(count).toBeGreaterThan(10);
      expect(count).toBeLessThanOrEqual(20);
    }
  });

  it('lets the first failures of a process wait for the answer of a shared budget, as createSharedBudget does', () => {
    const world = {
      ...FAILING,
      traffic: { type: 'closed', clients: 3, calls: 1 },
      budget: { type: 'shared', perSecond: 1, burst: 100 },
    } as const;

    const { attempts, lastEndMs } = simulate(AT_ONCE, world);

    expect(attempts.median).toBe(9);
    expect(lastEndMs.median).toBeLessThan(1_000);
  });

  it('refuses no retry to a process that is alone and below what time adds to a shared budget, however small its burst', () => {
    const policy = definePolicy({ maxAttempts: 2, backoff: { type: 'none' }, initialDelay: '1100ms' });
    const traffic = { type: 'closed', clients: 1, calls: 30 } as const;
    const budget = { type: 'shared', perSecond: 1, burst: 2 } as const;

    const { attempts } = simulate(policy, { ...FAILING, traffic, budget, duration: '1m' });

    expect(attempts.median).toBe(60);
  });

  it('counts a call whose time ends before the answer of a shared budget as failed', () => {
    const policy = definePolicy({ maxAttempts: 2, backoff: { type: 'none' }, totalTimeout: 1 });
    const traffic = { type: 'closed', clients: 1, calls: 1 } as const;
    const budget = { type: 'shared', perSecond: 1, burst: 2 } as const;

    const { attempts, lastEndMs } = simulate(policy, { ...FAILING, traffic, budget });

    expect(attempts.median).toBe(1);
    expect(lastEndMs.median).toBe(2);
  });

  it('makes no attempt while the circuit breaker is open, but for its probes', () => {
    const circuitBreaker = { minimumThroughput: 10, breakDuration: '5s' } as const;

    const { attempts } = simulate(AT_ONCE, { ...FAILING, circuitBreaker });

    // 10 to open it, and a probe every 5 s.
    expect(attempts.p95).toBeLessThanOrEqual(14);
  });

  it('counts no call that the circuit breaker refuses as a request of the budget', () => {
    const world = {
      traffic: { type: 'closed', clients: 1, pause: 1 },
      server: UNLIMITED,
      trouble: { type: 'outage', at: 0, for: '5s' },
      errorShare: 0.5,
      circuitBreaker: { failureRatio: 1, minimumThroughput: 2, breakDuration: '1s' },
      budget: { type: 'ratio', ratio: 0.01, minPerSecond: 0, window: '1m' },
      duration: '5050ms',
    } as const;

    const [twice, once] = compare(
      [definePolicy({ maxAttempts: 2 }), definePolicy({ maxAttempts: 1 })],
      world,
    );

    // Thousands are refused, of which 1 % would pay for many retries; the few that are sent pay for none.
    expect(Number(twice?.calls.median)).toBeGreaterThan(1_000);
    expect(twice?.attempts).toEqual(once?.attempts);
  });

  it('takes no tokens of a throttle budget for failures that the policy does not expect', () => {
    const world = {
      traffic: { type: 'closed', clients: 1, pause: 10 },
      server: { type: 'concurrency', latency: 1, perRequest: 0 },
      trouble: { type: 'brown-out', at: '2s', for: '3s', capacity: 0.0001 },
      error: new Error('wrong arguments'),
      errorShare: 0.9,
      attemptTimeout: '500ms',
      duration: '5s',
    } as const;
    const policy = definePolicy({ maxAttempts: 2, backoff: { type: 'none' }, retryOn: [{ status: 503 }] });
    const budget = { type: 'throttle', maxTokens: 20, tokenRatio: 0 } as const;

    const free = simulate(policy, world);
    const limited = simulate(policy, { ...world, budget });

    expect(limited.calls).toEqual(free.calls);
  });

  it('measures recovery from the end of the trigger', () => {
    const { recoveryMs, collapsedShare, normalPerSecond, world } = simulate(
      definePolicy({ maxAttempts: 1 }),
      OUTAGE,
    );

    expect(world.triggerEndMs).toBe(10_000);
    expect(normalPerSecond).toBeCloseTo(50, 0);
    expect(recoveryMs.p95).toBeLessThanOrEqual(2_000);
    expect(collapsedShare).toBe(0);
  });

  it('has less goodput in a brown-out', () => {
    const trouble = { type: 'brown-out', at: '5s', for: '5s', capacity: 0.25 } as const;

    const { buckets } = simulate(definePolicy({ maxAttempts: 1 }), {
      ...OUTAGE,
      trouble,
      server: { ...OUTAGE.server, queue: 0 },
    });

    expect(buckets[7]?.successes.mean).toBeLessThan(21);
    expect(buckets[3]?.successes.mean).toBeGreaterThan(25);
  });

  it('says never where the clients do not end, and when where they do', () => {
    const forever = definePolicy({ maxAttempts: Infinity, backoff: { type: 'constant', base: '1s' } });
    const traffic = { type: 'closed', clients: 3, calls: 2, pause: 100 } as const;

    expect(simulate(forever, { ...FAILING, traffic }).recoveryMs.median).toBe(Infinity);
    expect(simulate(AT_ONCE, { ...FAILING, traffic }).recoveryMs.p95).toBeLessThan(2_000);
  });

  it('gives each call a strategy of its own, if the strategy has state', () => {
    const create = () => {
      let asked = 0;
      return () => {
        asked += 1;
        return asked > 1 ? 'stop' : 0;
      };
    };
    const policy = definePolicy({ maxAttempts: 9, backoff: { type: 'custom', strategy: { create } } });

    expect(simulate(policy, FAILING).amplification.median).toBe(2);
  });
});

describe('compare', () => {
  it('sends the same calls to each policy', () => {
    const [one, other] = compare([definePolicy({ maxAttempts: 1 }), AT_ONCE], FAILING);

    expect(one?.buckets.map(({ calls }) => calls)).toEqual(other?.buckets.map(({ calls }) => calls));
    expect(one?.amplification.median).toBe(1);
    expect(other?.amplification.median).toBe(3);
  });
});
