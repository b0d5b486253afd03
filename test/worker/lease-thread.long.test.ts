import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { Worker } from '@retry/worker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { afterEach, describe, expect, it } from 'vitest';
import { guardedBroker } from '../support/guarded-broker.ts';
import { hearWarnings } from '../support/hear-warnings.ts';

const LEASE_MS = 600;

/** The thread connects when a block begins. */
const LONG_LEASE_MS = 3_000;

const workers: Worker[] = [];

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

function work(broker: Broker, run: () => unknown = () => {}, options = {}) {
  const task = defineTask({ name: 'block', run: async () => void (await run()) });
  const worker = createWorker({ broker, tasks: [task], lease: LEASE_MS, signals: [], ...options });
  const errors: string[] = [];
  worker.on('error', ({ doing }) => void errors.push(doing));
  workers.push(worker);
  worker.start();
  return { worker, task, errors };
}

/** A thread that starts on a busy machine takes a while. */
const poll = <Value>(read: () => Value | Promise<Value>) => expect.poll(read, { timeout: 20_000 });

/** Blocks the event loop, and leaves the processor to the thread. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Blocks the event loop until this is so, or for 20 s: a thread that shares its processor takes a while. */
function blockUntil(isSo: () => boolean): void {
  const until = performance.now() + 20_000;
  while (!isSo() && performance.now() < until) block(1);
}

describe('the thread that renews leases', () => {
  it('sends heartbeats of all leases while a handler blocks the event loop', async () => {
    const { broker, count } = guardedBroker();
    const { worker, task } = work(broker, () => blockUntil(() => count('heartbeats') >= 3), {
      concurrency: 1_000,
    });
    await poll(() => count('opened')).toBe(1);

    await createQueue({ broker }).submitMany(task, [null]);
    await worker.whenIdle();

    expect(worker.leaseRenewal).toBe('thread');
    expect(count('heartbeats')).toBeGreaterThanOrEqual(3);
    expect(count('leases')).toBe(1);
  });

  it('sends them while the decision about a run blocks the event loop, and names the run', async () => {
    const { broker, count } = guardedBroker();
    const task = defineTask({
      name: 'decide',
      retry: {
        retryIf: () => {
          block(3 * LEASE_MS);
          blockUntil(() => count('heartbeats') >= 3);
          return false;
        },
      },
      run: () => Promise.reject(new Error('no')),
    });
    const { worker } = work(broker, undefined, { tasks: [task] });
    const blocked = new Promise((resolve) => worker.on('blocked', resolve));
    await poll(() => count('opened')).toBe(1);

    const { id } = await createQueue({ broker }).submit(task, null);

    expect(await blocked).toMatchObject({ runs: [{ id }] });
    expect(count('heartbeats')).toBeGreaterThanOrEqual(3);
    expect(count('leases')).toBe(1);
  });

  it('renews 1 000 leases in one call', async () => {
    const { broker, count } = guardedBroker();
    let started = 0;
    let finish = (): void => {};
    const isFinished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { worker, task } = work(
      broker,
      () => {
        started += 1;
        if (started === 1_000) {
          blockUntil(() => count('leases') === 1_000); // on a busy machine some are renewed before all have started
          finish();
        }
        return isFinished;
      },
      { concurrency: 1_000 },
    );

    await createQueue({ broker }).submitMany(
      task,
      Array.from({ length: 1_000 }, () => null),
    );
    await worker.whenIdle();

    expect(count('leases')).toBe(1_000);
  });

  it('is one for all workers, and ends with the last one', async () => {
    const { broker, count } = guardedBroker();
    const [one, other] = [work(broker), work(broker)];
    await poll(() => count('opened')).toBe(2);

    await one.worker.stop();
    await poll(() => count('closed')).toBe(1);
    expect(other.worker.leaseRenewal).toBe('thread');
    await other.worker.stop();

    await poll(() => count('closed')).toBe(2);
  });

  it('starts again when it has ended, with the leases of running handlers', async () => {
    const { broker, count, crash } = guardedBroker();
    let opened = (): void => {};
    const isOpened = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const { worker, task, errors } = work(broker, async () => {
      await isOpened;
      blockUntil(() => count('heartbeats') >= 3);
    });
    await poll(() => count('opened')).toBe(1);
    await createQueue({ broker }).submit(task, null);

    crash(1);
    await poll(() => count('opened')).toBe(2);
    opened();
    await worker.whenIdle();

    expect(errors).toContain('renewing leases in a thread');
    expect(count('heartbeats')).toBeGreaterThanOrEqual(3);
    expect(count('leases')).toBe(1);
  });

  it('sends no heartbeat before its connection is accepted', async () => {
    const { broker, count } = guardedBroker({ connectMs: LEASE_MS / 3 });
    const { worker, task, errors } = work(broker, () => blockUntil(() => count('heartbeats') > 0));

    await createQueue({ broker }).submit(task, null);
    await worker.whenIdle();
    await worker.stop();

    expect(count('heartbeats')).toBeGreaterThan(0);
    expect(errors).toEqual([]);
  });

  it.each([
    ['has ended by then', false, 'completed', []],
    ['still runs', true, 'started', ['gone']],
  ] as const)("applies the answer 'gone' to a run that %s", async (_, runsOn, state, fenced) => {
    const { broker, count } = guardedBroker({ answer: 'gone' });
    const { worker, task } = work(broker, async () => {
      blockUntil(() => count('heartbeats') > 0);
      block(LEASE_MS / 6); // for the answer to be sent
      if (runsOn) await new Promise((resolve) => setTimeout(resolve, LEASE_MS));
    });
    const answers: string[] = [];
    worker.on('fenced', ({ answer }) => void answers.push(answer));

    const { id } = await createQueue({ broker }).submit(task, null);

    await poll(async () => [(await broker.get([id]))[0]?.state, ...answers]).toEqual([state, ...fenced]);
    await worker.stop();
    expect(answers).toEqual(fenced);
  });

  it('connects only when the loop is blocked, if there is time for that', async () => {
    const { broker, count } = guardedBroker();
    const { task, worker } = work(broker, () => blockUntil(() => count('heartbeats') > 0), {
      lease: LONG_LEASE_MS,
    });

    await new Promise((resolve) => setTimeout(resolve, LONG_LEASE_MS / 2)); // it ticks six times
    expect(count('opened')).toBe(0);
    await createQueue({ broker }).submit(task, null);
    await worker.whenIdle();

    expect(count('opened')).toBe(1);
    expect(count('heartbeats')).toBeGreaterThanOrEqual(1);
  });

  it('connects again if the server had no place for it', async () => {
    const { broker, count } = guardedBroker({ refusal: 'too many connections', refusals: 2 });
    const { errors, task, worker } = work(broker, () => blockUntil(() => count('heartbeats') > 0), {
      lease: LONG_LEASE_MS,
    });

    await createQueue({ broker }).submit(task, null);
    await worker.whenIdle();

    await poll(() => errors.length).toBe(2);
    expect(count('heartbeats')).toBeGreaterThanOrEqual(1);
    expect(worker.leaseRenewal).toBe('thread');
  });

  it('is given up where the server refuses it', async () => {
    const warnings = hearWarnings();
    const { broker } = guardedBroker({ refusal: 'NOAUTH' });
    const { worker, task } = work(broker);

    await createQueue({ broker }).submit(task, null);
    await worker.whenIdle();

    await poll(() => worker.leaseRenewal).toBe('loop');
    // At most one a minute of a process, which tests of others may have had.
    for (const warning of warnings) expect(warning).toMatch(/^RETRY_LEASES_ON_LOOP: .* NOAUTH\.$/);
  });

  it.each([
    ['of a broker in memory', {}, () => createMemoryBroker()],
    ["with leaseRenewal: 'loop'", { leaseRenewal: 'loop' }, () => guardedBroker().broker],
    ['of a driver that is not there', {}, () => withoutDriver(guardedBroker().broker)],
    ['of a broker without a module', {}, () => withoutModule(createMemoryBroker())],
  ] as const)('is not started %s', (_, options, open) => {
    const worker = createWorker({
      broker: open(),
      tasks: [defineTask({ name: 'a', run: () => {} })],
      ...options,
    });

    expect(worker.leaseRenewal).toBe('loop');
  });
});

function withoutDriver(broker: Broker): Broker {
  const module = broker.facts?.heartbeats;
  if (typeof module !== 'object') throw new Error('has a module');
  return {
    ...broker,
    facts: { heartbeats: { ...module, driver: { name: 'no-such-driver', from: undefined } } },
  };
}

function withoutModule({ facts: _, ...broker }: Broker): Broker {
  return broker;
}

describe('a worker whose heartbeats the broker does not answer', () => {
  it('claims nothing until one is answered', async () => {
    const memory = createMemoryBroker();
    let isDown = false;
    let claims = 0;
    const broker: Broker = {
      ...memory,
      heartbeat: async (...beats) => {
        if (isDown) throw new Error('down');
        return memory.heartbeat(...beats);
      },
      exchange: async (request) => {
        if (request.claim !== undefined && isDown) claims += 1;
        return memory.exchange(request);
      },
    };
    let finish = (): void => {};
    const isFinished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { task, errors, worker } = work(broker, () => isFinished, { pollInterval: 20, lease: 300 });
    const queue = createQueue({ broker });
    await queue.submit(task, null);
    await poll(async () => (await memory.audit()).started).toBe(1);

    isDown = true;
    await poll(() => errors.length).toBeGreaterThan(0);
    claims = 0;
    await queue.submit(task, null);
    await poll(() => errors.length).toBeGreaterThan(2);
    const claimedWhileDown = claims;
    isDown = false;

    await poll(async () => (await memory.audit()).started).toBe(2);
    finish();
    await worker.whenIdle();
    expect(claimedWhileDown).toBe(0);
  });
});
