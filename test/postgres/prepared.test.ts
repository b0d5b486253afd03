import { createPostgresBroker } from '@retry/postgres';
import { expect, it } from 'vitest';
import { parametersOf } from '../../packages/postgres/src/schema/signatures.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { createTestSchema, openPool } from './open-broker.ts';

describeOnPostgres('named statements', (server) => {
  it('are no longer used when the connection does not know them, as behind a pooler', async () => {
    const pool = openPool(server().url, 1);
    const schema = await createTestSchema(pool);
    const parameters = parametersOf('find_expired').map(({ parameter, type }) => `${parameter} ${type}`);
    // What a pooler does between two transactions: the next one has another connection, which knows no statements.
    await pool.query(`create or replace function ${schema.name}.find_expired(${parameters.join(', ')}) returns text
      language plpgsql as $$ begin execute 'deallocate all'; return '[]'; end $$`);
    const broker = createPostgresBroker({
      url: server().url,
      connections: 1,
      schema: schema.name,
      listen: false,
    });
    await broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]);
    const before = await broker.get(['a']);

    await broker.findExpired(1);
    const after = await broker.get(['a']);

    expect(after).toEqual(before);
    expect(await broker.submit([{ id: 'a', lane: 'l', payload: '{}' }])).toEqual(['exists']);
    await broker.close();
    await schema.drop();
    await pool.end();
  });
});
