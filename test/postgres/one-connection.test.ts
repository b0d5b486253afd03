import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { brokerOnOneConnection } from '../../docs/recipes/one-connection.ts';
import { passTime } from '../support/pass-time.ts';
import { root } from '../support/repository.ts';
import { describeTwoConnections } from './two-connections.ts';

const read = (path: string): string => readFileSync(join(root, 'docs', path), 'utf8');

describeTwoConnections('a client that a pool lends to a broker', (open) => {
  it('is used as docs/postgres.md says', () => {
    expect(read('postgres.md')).toContain(`\`\`\`ts\n${read('recipes/one-connection.ts')}\`\`\``);
  });

  it('is released when its connection ends, and ends no process', async () => {
    const { pool, tx } = open();
    const lost: Error[] = [];
    const { broker, close } = await brokerOnOneConnection(
      pool,
      (error) => lost.push(error),
      open().schema.name,
    );
    await broker.audit();
    const before = pool.totalCount;

    await tx.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name = ''
        and backend_type = 'client backend' and state = 'idle'`,
    );
    while (lost.length === 0) await passTime(5);
    await close();

    expect(lost).toHaveLength(1);
    expect(pool.totalCount).toBeLessThan(before);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('is released unchanged when the broker is closed', async () => {
    const { pool, schema } = open();
    const lost: Error[] = [];
    const { close } = await brokerOnOneConnection(pool, (error) => lost.push(error), schema.name);
    const before = pool.idleCount;

    await close();

    expect({ lost, idle: pool.idleCount }).toEqual({ lost: [], idle: before + 1 });
  });
});
