import type { PGlite } from '@electric-sql/pglite';
import type { AsyncDispose, Duration } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker, transaction } from '@retry/postgres';
import type { TaskContext, WorkerOptions } from '@retry/worker';
import { createQueue, createWorker, defineTask, LeaseLostError } from '@retry/worker';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { promiseOf } from '../contract/worker/worker-scene.ts';
import { openPGlite } from '../support/pglite.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { lendTestSchema, openPool } from './open-broker.ts';

const NAMES = ['completed', 'failed', 'retried', 'stalled', 'released', 'fenced'] as const;

/** A broker, and a client whose transactions it joins. */
interface Place {
  readonly client: SqlClient;
  readonly schema: string;
  readonly broker: Broker & AsyncDispose;
  readonly close: () => Promise<void>;
}

/** A broker that is seen, and waited for, as the worker calls it. */
function watch(broker: Broker) {
  const fenced = promiseOf<void>();
  const renewed = promiseOf<void>();
  let isAsked = (): Promise<unknown> => Promise.resolve();
  const watched: Broker = {
    ...broker,
    heartbeat: async (beats, leaseMs) => {
      const answers = await broker.heartbeat(beats, leaseMs);
      if (leaseMs > 0 && answers.includes('ok')) renewed.resolve();
      if (leaseMs > 0 && answers.includes('fenced')) fenced.resolve();
      return answers;
    },
    get: async (ids, options) => {
      await isAsked();
      return broker.get(ids, options);
    },
  };
  return {
    watched,
    /** A heartbeat of the worker was answered `fenced`, or `ok`. */
    fenced: fenced.promise,
    renewed: renewed.promise,
    beforeGet: (wait: () => Promise<unknown>) => {
      isAsked = wait;
    },
  };
}

function describeAfterCommit(open: () => Promise<Place>): void {
  let place: Place;
  let seen: ReturnType<typeof watch>;
  beforeEach(async () => {
    place = await open();
    seen = watch(place.broker);
  });
  afterEach(async () => {
    const { unbalanced } = await place.broker.audit();
    await place.close();
    expect(unbalanced).toBe(0);
  });

  const other = defineTask({ name: 'other', run: () => 'done' });

  /** Several round trips to the broker: what the worker was answered before is applied by then. */
  const roundTrips = () =>
    createQueue({ broker: place.broker }).submitAndWait(other, null, { timeout: '20s' });
  const commit = ({ complete }: Pick<TaskContext, 'complete'>) =>
    transaction(place.client, (tx) => complete({ tx, result: 'paid' }));

  /** Runs one run of a handler. @returns its events, why its signal aborted, what it left */
  const runOnce = async (
    handle: (ctx: TaskContext) => Promise<unknown>,
    {
      attemptTimeout = '1h',
      ...options
    }: Partial<WorkerOptions> & { readonly attemptTimeout?: Duration } = {},
  ) => {
    const queue = createQueue({ broker: place.broker });
    const reasons: unknown[] = [];
    const order = defineTask({
      name: 'order',
      retry: { maxAttempts: 1, attemptTimeout },
      run: async (_: null, ctx) => {
        ctx.signal.addEventListener('abort', () => reasons.push(ctx.signal.reason));
        await handle(ctx);
      },
    });
    const worker = createWorker({
      broker: seen.watched,
      tasks: [order, other],
      lease: '2s',
      leaseRenewal: 'loop',
      signals: [],
      ...options,
    });
    const events: string[] = [];
    const errors: string[] = [];
    const settled = promiseOf<void>();
    for (const name of NAMES)
      worker.on(name, ({ task }) => {
        if (task !== 'order') return;
        events.push(name);
        settled.resolve();
      });
    worker.on('error', ({ doing }) => void errors.push(doing));
    worker.start();
    const { id } = await queue.submit(order, null);
    await settled.promise;
    await worker.whenIdle();
    await worker.stop();
    const { state, result } = (await queue.result(id)) ?? {};
    return { events, errors, reasons, state, result };
  };
  const COMPLETED = { events: ['completed'], reasons: [], state: 'completed', result: 'paid' };

  it('a heartbeat that finds its run completed stops no handler', async () => {
    const seenFirst = await runOnce(async (ctx) => {
      await commit(ctx);
      await seen.fenced;
      await roundTrips();
    });

    expect(seenFirst).toMatchObject({ ...COMPLETED, errors: [] });
  });

  it('a heartbeat that is answered once the handler has returned changes nothing', async () => {
    seen.beforeGet(async () => {
      await seen.fenced;
      await place.broker.audit();
    });

    expect(await runOnce(commit)).toMatchObject({ ...COMPLETED, errors: [] });
  });

  it('a handler that throws later has completed', async () => {
    const thrown = await runOnce(async (ctx) => {
      await commit(ctx);
      await seen.fenced;
      await roundTrips();
      throw new Error('too late');
    });

    expect(thrown).toMatchObject(COMPLETED);
  });

  it('a broker that cannot be asked stops no handler, and is asked again', async () => {
    const isAskedAgain = promiseOf<void>();
    let asked = 0;
    seen.beforeGet(async () => {
      asked += 1;
      if (asked === 1) throw new Error('no answer');
      isAskedAgain.resolve();
    });

    const waited = await runOnce(async (ctx) => {
      await commit(ctx);
      await isAskedAgain.promise;
      await roundTrips();
    });

    expect(waited).toMatchObject({ ...COMPLETED, errors: ['asking for a commit'] });
  });

  it('a run that is stopped later, and whose handler does not return, has completed', async () => {
    const never = await runOnce(
      async (ctx) => {
        await commit(ctx);
        await new Promise(() => {});
      },
      { attemptTimeout: '1.5s', abandonAfter: 0, lease: '1m' },
    );

    expect(never).toMatchObject({ ...COMPLETED, reasons: [{ name: 'AttemptTimeoutError' }] });
  });

  it('a run whose worker stops, and whose handler does not return, has completed', async () => {
    const events: string[] = [];
    const committed = promiseOf<void>();
    const task = defineTask({
      name: 'order',
      shutdownTimeout: 0,
      run: async (_: null, ctx) => {
        await commit(ctx);
        committed.resolve();
        await new Promise(() => {});
      },
    });
    const worker = createWorker({ broker: place.broker, tasks: [task], signals: [], leaseRenewal: 'loop' });
    for (const name of NAMES) worker.on(name, () => void events.push(name));
    worker.on('stopped', () => void events.push('stopped'));
    worker.start();
    await createQueue({ broker: place.broker }).submit(task, null);
    await committed.promise;
    await worker.stop();

    expect(events).toEqual(['completed', 'stopped']);
  });

  it('its run counts as one that has ended', async () => {
    const facts: unknown[] = [];
    const broker: Broker = {
      ...place.broker,
      attend: (attendance) => {
        facts.push(attendance?.facts);
        return place.broker.attend(attendance);
      },
    };
    const task = defineTask({ name: 'order', run: (_: null, ctx) => commit(ctx) });
    const worker = createWorker({ broker, tasks: [task], cleanerInterval: '1s', signals: [] });
    worker.start();
    await createQueue({ broker }).submit(task, null);

    await expect.poll(() => JSON.stringify(facts), { timeout: 20_000 }).toContain('"ends":1');
    await worker.stop();
  });

  it('a rolled back transaction leaves the lease as it was', async () => {
    const rolledBack = await runOnce(async ({ complete }) => {
      await transaction(place.client, async (tx) => {
        await complete({ tx, result: 'paid' });
        throw new Error('no');
      }).catch(() => {});
      await seen.renewed;
      await roundTrips();
    });

    expect(rolledBack).toMatchObject({ events: ['failed'], reasons: [], state: 'failed' });
  });

  it('a lease that is lost after a rolled back transaction aborts the signal', async () => {
    const { client, schema } = place;
    const lost = await runOnce(
      async ({ complete, signal }) => {
        await transaction(client, async (tx) => {
          await complete({ tx, result: 'paid' });
          throw new Error('no');
        }).catch(() => {});
        await client.query(`update ${schema}.run set epoch = epoch + 1 where lane like 'order%'`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await client.query(
          `update ${schema}.run set epoch = epoch - 1, lease_until = 0 where lane like 'order%'`,
        );
      },
      { cleanerInterval: '1s' },
    );

    expect(lost.reasons).toEqual([expect.any(LeaseLostError)]);
    expect(lost.events[0]).toBe('fenced');
    expect(lost.state).toBe('failed');
  });
}

/** Lends a schema of a database. */
async function lendPlace(client: SqlClient): Promise<Place> {
  const schema = await lendTestSchema(client);
  const broker = createPostgresBroker({ client, schema: schema.name });
  const close = async (): Promise<void> => {
    await broker.close();
    await schema.drop();
  };
  return { client, schema: schema.name, broker, close };
}

describeOnPostgres('after the commit of a completion, on a server', (server) => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = openPool(server().url);
  });
  afterAll(() => pool.end());

  describeAfterCommit(() => lendPlace(pool));
});

describe('after the commit of a completion, in PGlite', () => {
  let pglite: PGlite;
  beforeAll(async () => {
    pglite = await openPGlite();
  });
  afterAll(() => pglite.close());

  describeAfterCommit(() => lendPlace(pglite));
});
