import { expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { describeTwoConnections, idsOf } from './two-connections.ts';

/** So slow a full read is not repeated for seconds. */
const SLOW_MS = 300;

describeTwoConnections('runs that appear before others which have been claimed', (open) => {
  it.each<[string, number, string[][]]>([
    ['all at once', 9, [['late-1', 'late-2', 'late-3'], [], []]],
    ['one by one', 1, [['late-1'], ['late-2'], ['late-3']]],
  ])(
    'are claimed as soon as their transaction commits, although a full read was slow: %s',
    async (_how, limit, expected) => {
      const { tx, pool, schema, broker, submit, claim } = open();
      const late = ['late-1', 'late-2', 'late-3'].map((id) => ({ id, lane: 'l', payload: '{}' }));
      await broker.within(tx).submit(late);
      await submit({ id: 'early' });
      const blocker = await pool.connect();
      await blocker.query(`begin; lock table ${schema.name}.claim in exclusive mode`);
      const first = claim('first');
      await passTime(SLOW_MS);
      await blocker.query('rollback');
      blocker.release();
      const early = idsOf(await first);

      await tx.query('commit');
      const got: (readonly string[])[] = [];
      for (const request of ['second', 'third', 'fourth']) got.push(idsOf(await claim(request, limit)));

      expect(early).toEqual(['early']);
      expect(got).toEqual(expected);
    },
  );
});
