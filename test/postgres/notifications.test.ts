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
    const waiting = broker.wait({ lanes: ['l'], timeoutMs: 60_000 });
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
    const waiting = broker.wait({ lanes: ['l'], timeoutMs: 60_000 });
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

describeTwoConnections('a submission', (open) => {
  const submissions = fc.array(
    fc.record(
      {
        id: fc.stringMatching(/^[a-z]{1,2}$/),
        lane: fc.constantFrom('l', 'm', 'Ü "\\'),
        payload: fc.constant('{}'),
        delayMs: fc.constant(3_600_000),
        keyed: fc.boolean(),
      },
      { requiredKeys: ['id', 'lane', 'payload'] },
    ),
    { minLength: 1, maxLength: 3 },
  );

  it('notifies who waits of the lanes that have work now and later, if any of it is new', async () => {
    const { broker, pool, schema, url } = open();
    const channel = channelOf(schema.name);
    const waiting = createPostgresBroker({ url, schema: schema.name });
    const wait = waiting.wait({ lanes: ['another'], timeoutMs: 60_000 });
    await passTime(200);
    const client = await pool.connect();
    const received: string[] = [];
    let onEnd = (): void => {};
    client.on('notification', ({ payload = '' }) => {
      if (payload === 'the end') onEnd();
      else received.push(payload);
    });
    await client.query(`listen "${channel}"`);

    try {
      await fc.assert(
        fc.asyncProperty(submissions, async (batch) => {
          received.length = 0;
          const answers = await broker.submit(batch);
          const ended = new Promise<void>((resolve) => {
            onEnd = resolve;
          });
          await pool.query('select pg_notify($1, $2)', [channel, 'the end']);
          await ended;

          const lanesOf = (isLater: boolean): Set<string> =>
            new Set(
              batch.filter(({ delayMs }) => (delayMs !== undefined) === isLater).map(({ lane }) => lane),
            );
          const notices = received.map((text) => {
            const { ready, later, results } = JSON.parse(text) as Record<
              'ready' | 'later',
              string[] | null
            > & {
              readonly results: boolean;
            };
            return { ready: new Set(ready), later: new Set(later), results };
          });
          const expected = { ready: lanesOf(false), later: lanesOf(true), results: false };
          expect(notices).toEqual(answers.includes('created') ? [expected] : []);
        }),
      );
    } finally {
      client.release();
      await waiting.close();
      await wait;
    }
  });
});
