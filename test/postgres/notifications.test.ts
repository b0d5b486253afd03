import { createPostgresBroker } from '@retry/postgres';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { channelOf } from '../../packages/postgres/src/schema/migrations.ts';
import { passTime } from '../support/pass-time.ts';
import { describeTwoConnections } from './two-connections.ts';

const STRANGE = [
  '{',
  'null',
  '5',
  '"l"',
  '[]',
  '{"ready":5}',
  '{"ready":["l",7],"later":[],"results":false}',
  '{"ready":null,"later":{"l":1},"results":true}',
  '{"__proto__":null}',
];

describeTwoConnections('a notification that no broker has sent', (open) => {
  it('ends no process, and is taken for a change of anything', async () => {
    const { pool, schema, url } = open();
    const broker = createPostgresBroker({ url, schema: schema.name });
    const waiting = broker.waitForWork(['l'], { timeoutMs: 60_000 });
    await passTime(200);
    const channel = channelOf(schema.name);

    for (const text of STRANGE) await pool.query('select pg_notify($1, $2)', [channel, text]);
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 50 }), async (text) => {
        await pool.query('select pg_notify($1, $2)', [channel, text.replaceAll('\0', '')]);
      }),
      { numRuns: 50 },
    );
    await broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]);
    await waiting;
    await broker.close();

    expect(await open().broker.audit()).toMatchObject({ submitted: 1 });
  });

  it('makes idle workers poll for work that was not announced', async () => {
    const { pool, schema, url, tx } = open();
    const broker = createPostgresBroker({ url, schema: schema.name });
    const waiting = broker.waitForWork(['l'], { timeoutMs: 60_000 });
    await passTime(200);
    await createPostgresBroker({ client: tx, schema: schema.name })
      .within(tx)
      .submit([{ id: 'a', lane: 'l', payload: '{}' }]);
    await tx.query('commit');

    await pool.query('select pg_notify($1, $2)', [channelOf(schema.name), '{"ready":']);
    await waiting;
    await broker.close();
  });
});
