import type { Broker } from '@retry/core/broker';
import type { VirtualClock } from '@retry/core/testing';
import { createVirtualClock } from '@retry/core/testing';
import type { ModeChangeEvent, SharedBudgetOptions } from '@retry/inprocess';
import { createSharedBudget, tryRetry, withRetry } from '@retry/inprocess';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createRetryFetch } from '@retry/inprocess/fetch';
import { describe, expect, it } from 'vitest';

const down = new Error('down');

function setScene() {
  const clock = createVirtualClock({
    startAt: 0,
    settle: () => new Promise((resolve) => void setImmediate(resolve)),
  });
  return { clock, broker: createMemoryBroker({ clock }) };
}

/** Counts the calls of a store; while `isDown` they fail. */
function counting({ notes }: Pick<Broker, 'notes'>) {
  const store = { calls: 0, isDown: false };
  const call = <Input, Answer>(run: (input: Input) => Promise<Answer>) => {
    return (input: Input): Promise<Answer> => {
      store.calls += 1;
      return store.isDown ? Promise.reject(down) : run(input);
    };
  };
  return Object.assign(store, { notes: { read: call(notes.read), write: call(notes.write) } });
}

function createBudget(
  { clock, broker }: { readonly clock: VirtualClock; readonly broker: SharedBudgetOptions['broker'] },
  options: Partial<SharedBudgetOptions> = {},
) {
  return createSharedBudget({ broker, key: 'payments', perSecond: 10, clock, random: () => 0.5, ...options });
}

/** Asks for retries at this rate. @returns how many were granted */
async function ask(
  budget: ReturnType<typeof createBudget>,
  clock: VirtualClock,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<number> {
  let granted = 0;
  for (let count = 0; count < perSecond * seconds; count += 1) {
    budget.record({ type: 'request' });
    if (budget.allowsRetry(down)) granted += budget.spend(down);
    await clock.advance(1_000 / perSecond);
  }
  return granted;
}

describe('a shared budget', () => {
  it('grants the burst, and then the limit, to all processes together', async () => {
    const scene = setScene();
    const fleet = Array.from({ length: 4 }, () => createBudget(scene));

    const granted = await Promise.all(
      fleet.map((budget, index) =>
        index === 0 ? ask(budget, scene.clock, { perSecond: 100, seconds: 30 }) : 0,
      ),
    );

    expect(granted[0]).toBeLessThanOrEqual(100 + 30 * 10);
    expect(granted[0]).toBeGreaterThan(300);
  });

  it('asks the store at most once for a hundred retries, where there are many', async () => {
    const scene = setScene();
    const store = counting(scene.broker);
    const budget = createBudget({ ...scene, broker: store }, { perSecond: 500 });
    await ask(budget, scene.clock, { perSecond: 200, seconds: 10 });
    store.calls = 0;

    const granted = await ask(budget, scene.clock, { perSecond: 200, seconds: 20 });

    expect(granted).toBeGreaterThan(3_960);
    expect(store.calls).toBeLessThanOrEqual(granted / 100);
  });

  it('takes tokens before the first failure, and asks for none where there are no calls', async () => {
    const scene = setScene();
    const store = counting(scene.broker);
    const budget = createBudget({ ...scene, broker: store });
    await scene.clock.advance('1m');
    expect(store.calls).toBe(0);

    budget.record({ type: 'request' });
    await scene.clock.advance(1);

    expect(budget.allowsRetry(down)).toBe(true);
    expect(budget.state().tokens).toEqual([6]);
    expect(store.calls).toBe(2);
  });

  it('pays by the first attempts of all processes', async () => {
    const scene = setScene();
    const limits = { perSecond: undefined, ratio: 0.1, burst: 10 };
    const [busy, failing] = [createBudget(scene, limits), createBudget(scene, limits)];
    await ask(failing, scene.clock, { perSecond: 50, seconds: 20 });
    for (let second = 0; second < 100; second += 1) {
      for (let call = 0; call < 10; call += 1) busy.record({ type: 'request' });
      await scene.clock.advance('1s');
    }

    let granted = 0;
    for (let count = 0; count < 2_000; count += 1) {
      if (failing.allowsRetry(down)) granted += failing.spend(down);
      await scene.clock.advance(10);
    }

    expect(granted).toBeGreaterThanOrEqual(5);
    expect(granted).toBeLessThanOrEqual(10);
  });

  it('grants its own share while the store does not answer, and says so', async () => {
    const scene = setScene();
    const store = counting(scene.broker);
    const events: ModeChangeEvent[] = [];
    const budget = createBudget(
      { ...scene, broker: store },
      { localShare: 0.2, onModeChange: (event) => events.push(event) },
    );
    store.isDown = true;

    const granted = await ask(budget, scene.clock, { perSecond: 50, seconds: 30 });

    expect(granted).toBeGreaterThanOrEqual(75);
    expect(granted).toBeLessThanOrEqual(20 + 30 * 2);
    expect([events, budget.mode]).toEqual([[{ to: 'local', error: down }], 'local']);

    store.isDown = false;
    await ask(budget, scene.clock, { perSecond: 50, seconds: 3 });
    expect([events.at(-1), budget.mode]).toEqual([{ to: 'shared' }, 'shared']);
  });

  it('is renewed once in nine tenths of a lease where there are calls, and no failures', async () => {
    const scene = setScene();
    const store = counting(scene.broker);
    const budget = createBudget({ ...scene, broker: store });

    for (let call = 0; call < 460; call += 1) {
      budget.record({ type: 'request' });
      await scene.clock.advance(100);
    }

    // At 0 s, 4.5 s, 9 s …, 45 s.
    expect(store.calls).toBe(2 * 11);
  });

  it('grants on top of its limit what processes that cannot reach the store grant by themselves', async () => {
    const scene = setScene();
    const away = counting(scene.broker);
    away.isDown = true;
    const fleet = [0, 1, 2, 3].map((index) =>
      createBudget({ ...scene, broker: index < 2 ? away : scene.broker }, { localShare: 0.25 }),
    );
    const granted = [0, 0, 0, 0];
    for (let count = 0; count < 3_000; count += 1) {
      for (const [index, budget] of fleet.entries()) {
        budget.record({ type: 'request' });
        if (budget.allowsRetry(down)) granted[index] = (granted[index] ?? 0) + budget.spend(down);
      }
      await scene.clock.advance(10);
    }

    const [one = 0, other = 0, ...rest] = granted;

    for (const local of [one, other]) {
      expect(local).toBeLessThanOrEqual(0.25 * (100 + 30 * 10));
      expect(local).toBeGreaterThan(90);
    }
    expect(rest.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(100 + 30 * 10);
    expect(fleet.map(({ mode }) => mode)).toEqual(['local', 'local', 'shared', 'shared']);
  });

  it('counts as not answering what takes longer than a second, hears of nothing later, and tells it nothing', async () => {
    const scene = setScene();
    const { notes } = scene.broker;
    let answer = (): void => {};
    const read: typeof notes.read = async (query) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return notes.read(query);
    };
    let writes = 0;
    const write: typeof notes.write = (asked) => {
      writes += 1;
      return notes.write(asked);
    };
    const budget = createBudget({ ...scene, broker: { notes: { read, write } } });
    budget.record({ type: 'request' });

    await scene.clock.advance(999);
    expect(budget.mode).toBe('shared');
    await scene.clock.advance(1);
    expect(budget.mode).toBe('local');
    answer();
    await scene.clock.advance(1);
    expect(budget.mode).toBe('local');
    expect(writes).toBe(0);
  });

  it('limits the retries of withRetry and of fetch', async () => {
    const scene = setScene();
    const budget = createBudget(scene, { perSecond: undefined, ratio: 0, burst: 8 });
    const policy = { maxAttempts: 3, backoff: { type: 'none' } } as const;
    let attempts = 0;
    const failing = withRetry(
      () => {
        attempts += 1;
        return Promise.reject(down);
      },
      policy,
      { budget },
    );
    const retryFetch = createRetryFetch(policy, {
      budget,
      fetch: () => {
        attempts += 1;
        return Promise.resolve(new Response(null, { status: 503 }));
      },
    });

    for (let round = 0; round < 40; round += 1) {
      const call = failing().catch(() => {});
      await scene.clock.advance('2s');
      await call;
      const response = retryFetch('http://localhost');
      await scene.clock.advance('2s');
      expect((await response).status).toBe(503);
    }

    expect(attempts).toBeGreaterThan(80);
    expect(attempts).toBeLessThanOrEqual(80 + 8);
    expect(await tryRetry(() => Promise.reject(down), policy, { budget })).toMatchObject({
      reason: 'budget',
    });
  });

  it.each([
    ['its total timeout ends', 'total-timeout', 300],
    ['it is aborted', 'aborted', 100],
    ['the store counts as away', 'budget', 1_000],
  ] as const)('lets a call wait for an answer that does not come until %s', async (_, reason, endsAt) => {
    const scene = setScene();
    const { notes } = scene.broker;
    const broker = { notes: { ...notes, read: () => new Promise<never>(() => {}) } };
    const budget = createBudget({ ...scene, broker }, { localShare: 0 });
    const controller = new AbortController();
    const ended = tryRetry(
      () => Promise.reject(down),
      { backoff: { type: 'none' }, ...(endsAt === 300 && { totalTimeout: 300 }) },
      { budget, clock: scene.clock, signal: controller.signal },
    ).then((end) => ({ reason: end.ok ? undefined : end.reason, at: scene.clock.now() }));
    if (reason === 'aborted') scene.clock.setTimer(() => controller.abort(), 100);

    await scene.clock.advance('1m');

    expect(await ended).toEqual({ reason, at: endsAt });
  });

  it.each([
    [{ broker: {} }, 'broker must be a broker'],
    [{ key: '' }, 'key must be text of 1 to 300 characters'],
    [{ perSecond: undefined }, 'ratio is missing'],
    [{ perSecond: 10, burst: 19 }, 'burst must be an integer of at least 20'],
    [{ onModeChange: 1 }, 'onModeChange must be a function'],
    [{ persecond: 1 }, 'persecond'],
  ])('refuses %j', (options, message) => {
    expect(() => createBudget(setScene(), options as never)).toThrow(message);
  });
});
