import { redriveRuns, rescheduleRuns } from '@retry/core/broker/kit';
import { expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { settlementOf } from '../support/settle.ts';
import { completed, describeTwoConnections } from './two-connections.ts';

describeTwoConnections('the creation of a run', (open) => {
  const read = async (id: string) => {
    const [run] = await open().broker.get([id]);
    return run;
  };

  it('is its submission until that changes, and takes no room', async () => {
    const { pool, schema, submit, claim, broker } = open();
    await submit({ id: 'a' });
    const [fresh] = await pool
      .query(`select created_at, submitted_at from ${schema.name}.run`)
      .then(({ rows }) => rows);
    const claimed = await claim('r');
    await broker.exchange({ settle: completed(claimed) });
    const run = await read('a');

    expect(fresh.created_at).toBeNull();
    expect(claimed.map((one) => one.run.createdAt)).toEqual([Number(fresh.submitted_at)]);
    expect([run?.createdAt, run?.submittedAt]).toEqual([
      Number(fresh.submitted_at),
      Number(fresh.submitted_at),
    ]);
  });

  it('stays when a scheduled run is promoted', async () => {
    const { submit, claim } = open();
    await submit({ id: 'a', delayMs: 5 });
    const scheduled = await read('a');
    await passTime(20);

    const [first] = await claim('r');

    expect(first?.run.createdAt).toBe(scheduled?.createdAt);
    expect(first?.run.submittedAt).toBeGreaterThan(Number(scheduled?.createdAt));
    expect(await read('a')).toMatchObject({
      createdAt: scheduled?.createdAt,
      submittedAt: first?.run.submittedAt,
    });
  });

  it('stays when runs are rescheduled, before their first attempt and after a retry', async () => {
    const { broker, submit, claim } = open();
    await submit({ id: 'a' }, { id: 'b', delayMs: 1 });
    const created = [(await read('a'))?.createdAt, (await read('b'))?.createdAt];
    const [first] = await claim('first', 1);
    const at = Number(first?.run.startedAt);
    const retried = first && settlementOf(first.run, { type: 'retry', at, runAt: at + 1 });
    await broker.exchange({ settle: retried === undefined ? [] : [retried] });
    const seen: unknown[] = [];
    for (const delayMs of [5, 0, 1, 1, 0]) {
      await rescheduleRuns(
        broker,
        ['a', 'b'].map((id) => ({ id, delayMs })),
      );
      seen.push([(await read('a'))?.createdAt, (await read('b'))?.createdAt]);
      await passTime(10);
      await claim(`promotes ${seen.length}`, 0); // starts none
    }

    expect(seen).toEqual(seen.map(() => created));
    expect((await claim('last')).map(({ run }) => run.createdAt)).toEqual(created);
  });

  it('stays through a retry, a dead letter and a redrive, whether it keeps the attempts or not', async () => {
    const { broker, submit, claim } = open();
    await submit({ id: 'a' });
    const created = (await read('a'))?.createdAt;
    await passTime(5);
    const [first] = await claim('first');
    const at = Number(first?.run.startedAt);
    const retried = first && settlementOf(first.run, { type: 'retry', at, runAt: at });
    await broker.exchange({ settle: retried === undefined ? [] : [retried] });
    await passTime(5);
    const seen: unknown[] = [];
    for (const keepAttempts of [true, false]) {
      const [next] = await claim(`after ${keepAttempts}`);
      const failed = next && settlementOf(next.run, { type: 'fail', at: Number(next.run.startedAt) });
      await broker.exchange({ settle: failed === undefined ? [] : [failed] });
      seen.push(next?.run.createdAt, (await read('a'))?.createdAt);
      await passTime(5);
      await redriveRuns(broker, ['a'], { keepAttempts });
    }
    const redriven = await read('a');

    expect(created).toBeDefined();
    expect(seen).toEqual([created, created, created, created]);
    expect(redriven?.createdAt).toBe(created);
    expect(redriven?.submittedAt).toBeGreaterThan(Number(created));
  });
});
