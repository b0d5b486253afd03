import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Broker, ClaimedRun, ExchangeReply, Settlement } from '@retry/core/broker';
import { cancelRuns, discardRuns } from '@retry/core/broker/kit';
import { createPostgresBroker, migrate } from '@retry/postgres';
import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { settlementOf } from '../support/settle.ts';
import type { TestSchema } from './open-broker.ts';
import { createTestSchema, openPool } from './open-broker.ts';
import { openExplained, readsOf } from './plans.ts';

/** Completes each run with its own id as its result. */
function completed({ claimed, now }: ExchangeReply): Settlement[] {
  return claimed.map(({ run }) =>
    settlementOf(run, { type: 'complete', at: now }, { result: `"${run.id}"` }),
  );
}

function contentsOf(claimed: readonly ClaimedRun[]): readonly string[] {
  return claimed.map(({ run }) => `${run.id} ${run.payload}`);
}

// Few are looked for one by one, many at once.
for (const count of [5, 40])
  describeOnPostgres(`${count} runs whose rows have moved in the table`, (server) => {
    const ids = Array.from({ length: count }, (_, index) => `run-${index + 100}`);
    let pool: pg.Pool;
    let schema: TestSchema;
    let broker: Broker;
    let requests = 0;
    const claim = (limit = count): Promise<ExchangeReply> => {
      requests += 1;
      const lanes = new Map([['l', limit]]);
      return broker.exchange({
        claim: { worker: 'w', requestId: `${requests}`, limit, lanes, leaseMs: 60_000 },
      });
    };
    const submit = (given: readonly string[], lane = 'l'): Promise<unknown> =>
      broker.submit(given.map((id) => ({ id, lane, payload: `"${id}"` })));
    /** Rewrites the table without its first row: every other run is where another one was. */
    const shift = async (): Promise<void> => {
      await cancelRuns(broker, ['first']);
      await discardRuns(broker, ['first']);
      await pool.query(`vacuum full ${schema.name}.run`);
    };
    const resultsOf = async (): Promise<readonly unknown[]> =>
      (await broker.get(ids)).map((run) => run?.result);
    beforeEach(async () => {
      pool = openPool(server().url, 2);
      schema = await createTestSchema(pool);
      broker = createPostgresBroker({
        client: pool,
        schema: schema.name,
        keepCompleted: { count: Infinity },
        listen: false,
      });
    });
    afterEach(async () => {
      await broker.close();
      await schema.drop();
      await pool.end();
    });

    it('are claimed in their order, each with its own payload', async () => {
      await submit(['first'], 'other');
      await submit(ids);
      await submit(['last'], 'other');
      await shift();

      const { claimed } = await claim();

      expect(contentsOf(claimed)).toEqual(ids.map((id) => `${id} "${id}"`));
      expect((await broker.audit()).unbalanced).toBe(0);
    });

    it('leave the schedule in their order, each with its own payload', async () => {
      await submit(['first'], 'other');
      await broker.submit(ids.map((id) => ({ id, lane: 'l', payload: `"${id}"`, delayMs: 1 })));
      await shift();
      await setTimeout(5);

      const { claimed } = await claim();

      expect(contentsOf(claimed)).toEqual(ids.map((id) => `${id} "${id}"`));
      expect((await broker.audit()).unbalanced).toBe(0);
    });

    it('are settled, each with its own outcome', async () => {
      await submit(['first'], 'other');
      await submit(ids);
      const reply = await claim();
      await shift();

      const { settled } = await broker.exchange({ settle: completed(reply) });

      expect(settled).toEqual(ids.map(() => 'ok'));
      expect(await resultsOf()).toEqual(ids.map((id) => `"${id}"`));
      expect((await broker.audit()).unbalanced).toBe(0);
    });

    it('are settled among others that have not moved, as have those that a heartbeat has written', async () => {
      await submit(ids);
      const reply = await claim();
      const [, beating = '', late = '', cancelled = ''] = ids;
      await broker.heartbeat([{ id: beating, epoch: 1 }], 60_000);
      await cancelRuns(broker, [cancelled]);
      const failed = reply.claimed.map(({ run }) =>
        settlementOf(run, { type: 'retry', at: reply.now, runAt: reply.now }),
      );
      const settle = failed.map((one) => (one.id === late ? { ...one, epoch: 7 } : one));

      const { settled } = await broker.exchange({ settle });

      expect(settled).toEqual(ids.map((id) => (id === late ? 'fenced' : 'ok')));
      const runs = await broker.get(ids);
      const stateOf = new Map([
        [late, 'started'],
        [cancelled, 'cancelled'],
      ]);
      expect(runs.map((run) => run?.state)).toEqual(ids.map((id) => stateOf.get(id) ?? 'submitted'));
      expect((await broker.audit()).unbalanced).toBe(0);
    });

    it('are forgotten, and no other run in their place', async () => {
      await submit(['first'], 'other');
      await submit([...ids, 'waits']);
      await broker.exchange({ settle: completed(await claim()) });
      await shift();
      const strict = createPostgresBroker({
        client: pool,
        schema: schema.name,
        keepCompleted: { count: 2 },
        listen: false,
      });
      const { claimed, now } = await claim(1);
      const settle = claimed.map(({ run }) => settlementOf(run, { type: 'complete', at: now }));

      await strict.exchange({ settle });

      expect((await broker.get([...ids, 'waits'])).map((run) => run?.id)).toEqual([
        ...ids.slice(1).map(() => undefined),
        ...[ids.at(-1), 'waits'],
      ]);
      const audit = { created: count + 2, forgotten: count, unbalanced: 0 };
      expect(await broker.audit()).toMatchObject(audit);
      await strict.close();
    });
  });

const IDS = ['a', 'b', 'c', 'd', 'e'];

describeOnPostgres('an exchange that completes plain runs', (server) => {
  it.each([
    [0, 'waited'],
    [1, 'waited'],
    [30, 'waited'],
    [0, 'were scheduled'],
    [30, 'were scheduled'],
  ])('finds their rows without an index, planned beside %i others, if they %s', async (others, how) => {
    const { client, take } = await openExplained(server().url);
    const schema = `hinted_${randomUUID().slice(0, 8)}`;
    await migrate(client, { schema });
    const broker = createPostgresBroker({ client, schema, listen: false });
    await broker.submit(
      Array.from({ length: others }, (_, index) => ({ id: `${index}`, lane: 'other', payload: '{}' })),
    );
    await client.query('analyze');
    const delayMs = how === 'waited' ? 0 : 1;
    await broker.submit(IDS.map((id) => ({ id, lane: 'l', payload: '{}', delayMs })));
    await setTimeout(5);
    take();
    const lanes = new Map([['l', 9]]);
    const claim = { worker: 'w', requestId: 'r', limit: 9, lanes, leaseMs: 60_000 };
    const reply = await broker.exchange({ claim });
    await broker.exchange({ settle: completed(reply) });

    const reads = readsOf(take()).filter(({ table }) => table === 'run');
    await broker.close();
    await client.query(`drop schema ${schema} cascade`);
    await client.end();

    expect(reads.map(({ how }) => how)).toEqual(['Tid Scan']);
  });
});
