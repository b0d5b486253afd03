import type { Submission } from '@retry/core/broker';
import { holdLanes, listHolds, resumeLanes } from '@retry/core/broker/kit';
import { createPostgresBroker } from '@retry/postgres';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { TwoConnections } from './two-connections.ts';
import { describeTwoConnections, idsOf } from './two-connections.ts';

const OPERATOR = { lane: 'l', source: 'operator' } as const;

const ALL = { source: 'operator' } as const;

/** A hold that lets a run through now, and another one an hour later. */
const PROBING = { lane: 'l', source: 'circuit-breaker', until: 1, probeMs: 3_600_000 } as const;

const KEYED = { concurrency: { key: 'k', limit: 9, whenFull: 'wait' } } as const;

/** Where a claim that has begun is made to wait, by the text of its functions. */
const HELD_MEANWHILE: readonly {
  readonly when: string;
  readonly at: { readonly routine: string; readonly before: string };
  readonly prepare?: (two: TwoConnections) => Promise<unknown>;
  readonly run?: Partial<Submission>;
}[] = [
  {
    when: 'before it looks and claims in one statement',
    at: { routine: 'settle_and_claim', before: 'if p_limit = 1 then' },
  },
  {
    when: 'after it looked at the holds of other lanes',
    at: { routine: 'settle_and_claim', before: 'if v_is_plain is null then' },
    prepare: ({ broker }) => holdLanes(broker, [{ ...OPERATOR, lane: 'third' }]),
  },
  {
    when: 'after it promoted what was due',
    at: { routine: 'settle_and_claim', before: 'if v_is_plain is null then' },
    prepare: async ({ pool, schema, submit }) => {
      await submit({ id: 'due', delayMs: 1 });
      await pool.query(`update ${schema.name}.scheduled set run_at = run_at - 3600000`);
    },
  },
  {
    when: 'after it found a run with a key',
    at: { routine: 'claim_runs', before: 'while v_room > 0' },
    prepare: ({ submit }) => submit({ id: 'keyed', ...KEYED }),
  },
  {
    when: 'after it saw the runs with a key',
    at: { routine: 'claim_runs', before: 'select * into v_keyed' },
    prepare: ({ submit }) => submit({ id: 'keyed', ...KEYED }),
    run: KEYED,
  },
];

/** Makes claims wait until `tx` ends, before every place of a function that begins with a text. */
async function pauseInClaims(
  pool: pg.Pool,
  tx: pg.PoolClient,
  schema: string,
  at: { readonly routine: string; readonly before: string },
): Promise<void> {
  const { rows } = await pool.query(
    'select pg_get_functiondef(oid) as text from pg_proc where proname = $1 and pronamespace = $2::regnamespace',
    [at.routine, schema],
  );
  const text: string = rows[0].text;
  const pausing = text.replaceAll(at.before, `perform pg_advisory_xact_lock_shared(42); ${at.before}`);
  expect(pausing).not.toBe(text);
  await tx.query('select pg_advisory_xact_lock(42)');
  await pool.query(pausing);
}

describeTwoConnections('a hold', (open) => {
  it('stops the claims that begin after its answer, while one that began before still starts runs', async () => {
    const { tx, broker, submit, claim, pauseClaimOf, untilBlocked } = open();
    await submit({ id: 'a' }, { id: 'b' });
    await pauseClaimOf('a');
    const before = claim('before', 1);
    await untilBlocked();

    await holdLanes(broker, [OPERATOR]);
    const after = await claim('after');
    await tx.query('commit');

    expect(idsOf(after)).toEqual([]);
    expect(idsOf(await before)).toEqual(['a']);
  });

  describe.each(HELD_MEANWHILE)(
    'that is put while a claim is being answered, $when',
    ({ at, prepare, run = {} }) => {
      it.each([
        { of: 'its lane', hold: OPERATOR, limit: 1 },
        { of: 'its lane', hold: OPERATOR, limit: 9 },
        { of: 'all lanes', hold: ALL, limit: 9 },
      ])(
        'of $of: no run that is submitted after its answer is started (limit $limit)',
        async ({ hold, limit }) => {
          const { pool, tx, schema, broker, submit, claim, untilBlocked } = open();
          await prepare?.(open());
          await pauseInClaims(pool, tx, schema.name, at);
          const claiming = claim('before', limit);
          await untilBlocked();

          await holdLanes(broker, [hold]);
          await submit({ id: 'after', ...run });
          await tx.query('commit');

          expect(idsOf(await claiming)).not.toContain('after');
        },
      );

      it('of another lane: the claim is answered as without it', async () => {
        const { pool, tx, schema, broker, submit, claim, untilBlocked } = open();
        await prepare?.(open());
        await pauseInClaims(pool, tx, schema.name, at);
        const claiming = claim('before', 9);
        await untilBlocked();

        await holdLanes(broker, [{ ...OPERATOR, lane: 'other' }]);
        await submit({ id: 'after', ...run });
        await tx.query('commit');

        expect(idsOf(await claiming)).toContain('after');
      });
    },
  );

  it('is not seen by claims before the transaction that puts it commits, and by all claims after', async () => {
    const { schema, tx, submit, claim } = open();
    await submit({ id: 'a' }, { id: 'b' });
    const holding = createPostgresBroker({ client: tx, schema: schema.name, listen: false });
    await holdLanes(holding, [OPERATOR]);
    const before = await claim('before', 1);
    await tx.query('commit');
    const after = await claim('after', 1);
    await holding.close();

    expect([before, after].map(idsOf)).toEqual([['a'], []]);
  });

  it('that probes lets one run through where two claims ask at the same time, and neither waits', async () => {
    const { tx, broker, submit, claim, pauseClaimOf, untilBlocked } = open();
    await submit({ id: 'a' }, { id: 'b' });
    await holdLanes(broker, [PROBING]);
    await pauseClaimOf('a');
    const first = claim('first');
    await untilBlocked();

    const second = await claim('second');
    await tx.query('commit');
    const probed = await first;

    expect(probed.map(({ run, isProbe }) => [run.id, isProbe])).toEqual([['a', true]]);
    expect(second).toEqual([]);
    expect(await claim('third')).toEqual([]);
  });

  it('probes anew when the claim that was let through is rolled back', async () => {
    const { schema, tx, broker, submit, claim } = open();
    await submit({ id: 'a' });
    await holdLanes(broker, [PROBING]);
    const failing = createPostgresBroker({ client: tx, schema: schema.name, listen: false });
    const lost = await claim('lost', 1, failing);
    const meanwhile = await claim('meanwhile');
    await tx.query('rollback');
    await failing.close();

    expect([lost, meanwhile].map(idsOf)).toEqual([['a'], []]);
    expect((await claim('next')).map(({ run, isProbe }) => [run.id, isProbe])).toEqual([['a', true]]);
  });

  it.each(['hold', 'resume'] as const)(
    'that probes is changed after the claim that it is letting through: %s',
    async (verb) => {
      const { tx, broker, submit, claim, pauseClaimOf, untilBlocked } = open();
      await submit({ id: 'a' }, { id: 'b' });
      await holdLanes(broker, [PROBING]);
      await pauseClaimOf('a');
      const claiming = claim('first');
      await untilBlocked();
      const changing = { hold: holdLanes, resume: resumeLanes }[verb](broker, [
        { ...PROBING, until: 4_102_444_800_000 },
      ]);
      await untilBlocked(2);
      await tx.query('commit');
      await changing;

      expect(idsOf(await claiming)).toEqual(['a']);
      expect((await listHolds(broker)).map(({ until }) => until)).toEqual(
        verb === 'hold' ? [4_102_444_800_000] : [],
      );
      expect(idsOf(await claim('next'))).toEqual(verb === 'hold' ? [] : ['b']);
    },
  );

  it('that has ended is removed by the next claim, so that claims do as if there were none', async () => {
    const { pool, schema, broker, submit, claim } = open();
    await submit({ id: 'a' });
    await holdLanes(broker, [{ ...OPERATOR, until: 1 }]);

    const claimed = await claim('r');

    expect(idsOf(claimed)).toEqual(['a']);
    expect((await pool.query(`select from ${schema.name}.hold`)).rowCount).toBe(0);
  });

  it('keeps what is due where a later claim finds it, however long it has been due', async () => {
    const { pool, schema, broker, submit, claim } = open();
    await submit({ id: 'a', delayMs: 1 });
    await holdLanes(broker, [OPERATOR]);
    await pool.query(`update ${schema.name}.scheduled set run_at = run_at - 3600000`);
    for (const request of ['one', 'two', 'three']) expect(await claim(request)).toEqual([]);

    await resumeLanes(broker, [OPERATOR]);

    expect(idsOf(await claim('next'))).toEqual(['a']);
  });

  it('reaches workers of other processes that wait, where notifications arrive', async () => {
    const { schema, url, broker, submit } = open();
    const other = createPostgresBroker({ url, schema: schema.name });
    await submit({ id: 'a' });
    await holdLanes(broker, [OPERATOR, { source: 'operator' }]);
    const waiting = other.wait({ lanes: ['l'], timeoutMs: 60_000 });
    await resumeLanes(broker, [{}]);
    await resumeLanes(broker, [OPERATOR]);
    await waiting;
    await other.close();

    expect(await listHolds(broker)).toEqual([]);
  });
});
