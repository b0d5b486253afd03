import { createPostgresBroker, migrate } from '@retry/postgres';
import { describe, expect, it } from 'vitest';
import { openPool } from '../../packages/postgres/src/driver/open-pool.ts';
import { openPGlite } from '../support/pglite.ts';
import { describeTwoConnections } from './two-connections.ts';

describeTwoConnections('close', (open) => {
  it('resolves with its first call, however often it is called', async () => {
    const { url, schema, tx, untilBlocked } = open();
    const broker = createPostgresBroker({ url, schema: schema.name, listen: false });
    const ended: string[] = [];
    await tx.query(`lock table ${schema.name}.tally`);
    const counting = broker.audit();
    await untilBlocked();

    const first = broker.close().then(() => ended.push('first'));
    const second = broker.close().then(() => ended.push('second'));
    await tx.query('rollback');
    ended.push('answered');
    await Promise.all([first, second, counting]);

    expect(ended).toEqual(['answered', 'first', 'second']);
  });
});

describe('close of a broker', () => {
  it('resolves although the user has closed the client before, which listened to notifications', async () => {
    const pglite = await openPGlite();
    await migrate(pglite);
    const broker = createPostgresBroker({ client: pglite });
    await broker.wait({ lanes: ['l'], timeoutMs: 1 });
    await pglite.close();

    await expect(broker.close()).resolves.toBeUndefined();
  });

  it('resolves where there was no driver to open a connection', async () => {
    const missing = new Error('Cannot find package pg');
    const pool = openPool(
      'postgres://localhost/none',
      1,
      () => {},
      () => Promise.reject(missing),
    );

    await expect(pool.query('select 1')).rejects.toBe(missing);
    await expect(pool.close()).resolves.toBeUndefined();
  });
});
