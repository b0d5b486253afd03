import { createPostgresBroker, migrate, transaction } from '@retry/postgres';
import { createQueue, defineTask } from '@retry/worker';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openPGlite } from '../support/pglite.ts';
import { describeTwoConnections } from './two-connections.ts';

const task = defineTask({ name: 'task', run: () => {} });

/** Lets the time that calls wait for a connection pass, once there are such calls. */
async function passWait(isWaiting: () => boolean): Promise<void> {
  while (!isWaiting()) await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(10_000);
}

describeTwoConnections('a call of the broker inside of transaction() without its tx', (open) => {
  afterEach(() => void vi.useRealTimers());

  it('rejects with cause and cure when every connection of the pool is lent', async () => {
    const pool = new pg.Pool({ connectionString: open().url, max: 2 });
    const broker = createPostgresBroker({ client: pool, schema: open().schema.name, listen: false });
    const queue = createQueue({ broker });
    await broker.audit();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

    const submitting = [1, 2].map(() =>
      transaction(pool, async () => {
        while (pool.totalCount < 2) await new Promise((resolve) => setImmediate(resolve));
        await queue.submit(task, null);
      }).catch((error: unknown) => error),
    );
    await passWait(() => pool.waitingCount > 0);
    vi.useRealTimers();
    const errors = (await Promise.all(submitting)).filter((error) => error !== undefined);

    // The connection of the transaction that failed may serve the other one.
    expect(errors[0]).toMatchObject({
      code: 'POOL_EXHAUSTED',
      message: expect.stringMatching(/2 connections of the pool.*2 of them lent.*Give \{ tx \}/),
    });
    expect((await broker.audit()).created).toBe(2 - errors.length);
    await broker.close();
    expect(pool.idleCount).toBe(pool.totalCount);
    await pool.end();
  });

  it('rejects so as soon as the pool itself would give up', async () => {
    const pool = new pg.Pool({ connectionString: open().url, max: 1, connectionTimeoutMillis: 2_000 });
    const broker = createPostgresBroker({ client: pool, schema: open().schema.name, listen: false });
    const queue = createQueue({ broker });
    await broker.audit();

    const submitting = transaction(pool, () => queue.submit(task, null));

    await expect(submitting).rejects.toMatchObject({ code: 'POOL_EXHAUSTED' });
    await broker.close();
    await pool.end();
  });

  it('waits once, also when it is the first call of its broker', async () => {
    const pool = new pg.Pool({ connectionString: open().url, max: 1, connectionTimeoutMillis: 1_000 });
    const broker = createPostgresBroker({ client: pool, schema: open().schema.name, listen: false });
    const connect = vi.spyOn(pool, 'connect');

    const submitting = transaction(pool, () => createQueue({ broker }).submit(task, null));

    await expect(submitting).rejects.toMatchObject({ code: 'POOL_EXHAUSTED' });
    expect(connect).toHaveBeenCalledTimes(2); // that of the transaction, and that of the call
    await broker.close();
    await pool.end();
  });

  it('is answered when a connection is given back in time', async () => {
    const pool = new pg.Pool({ connectionString: open().url, max: 1 });
    const broker = createPostgresBroker({ client: pool, schema: open().schema.name, listen: false });
    const queue = createQueue({ broker });
    await broker.audit();
    const lent = await pool.connect();

    const submitting = queue.submit(task, null);
    await vi.waitFor(() => expect(pool.waitingCount).toBe(1), { timeout: 20_000 });
    lent.release();

    expect(await submitting).toMatchObject({ isNew: true });
    await broker.close();
    await pool.end();
  });
});

describeTwoConnections('a call that waits for a connection, or for a transaction', (open) => {
  afterEach(() => void vi.useRealTimers());

  it('leaves no timer behind when it is answered', async () => {
    const pool = new pg.Pool({ connectionString: open().url, max: 1, idleTimeoutMillis: 0 });
    const broker = createPostgresBroker({ client: pool, schema: open().schema.name, listen: false });
    await broker.audit();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const lent = await pool.connect();

    const counting = broker.audit();
    while (pool.waitingCount === 0) await new Promise((resolve) => setImmediate(resolve));
    lent.release();
    await counting;

    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    await broker.close();
    await pool.end();
  });
});

describe('a call of the broker on PGlite inside of transaction() without its tx', () => {
  afterEach(() => void vi.useRealTimers());

  it('rejects with cause and cure, and is not sent afterwards', async () => {
    const pglite = await openPGlite();
    await migrate(pglite);
    const broker = createPostgresBroker({ client: pglite });
    const queue = createQueue({ broker });
    await broker.audit();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });

    let isSubmitting = false;
    const submitting = transaction(pglite, async () => {
      isSubmitting = true;
      await queue.submit(task, null);
    });
    const rejected = expect(submitting).rejects.toMatchObject({ code: 'POOL_EXHAUSTED' });
    await passWait(() => isSubmitting);
    await rejected;
    vi.useRealTimers();

    expect((await broker.audit()).created).toBe(0);
    await broker.close();
    await pglite.close();
  });

  it('waits for a transaction that ends in time', async () => {
    const pglite = await openPGlite();
    await migrate(pglite);
    const queue = createQueue({ broker: createPostgresBroker({ client: pglite }) });
    let submitting: Promise<unknown> = Promise.resolve();

    await transaction(pglite, async (tx) => {
      submitting = queue.submit(task, null);
      await queue.submit(task, null, { tx });
    });

    expect(await submitting).toMatchObject({ isNew: true });
    expect((await queue.counts()).created).toBe(2);
    await pglite.close();
  });
});
