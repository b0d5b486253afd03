import type { Submission } from '@retry/core/broker';
import { cancelRuns } from '@retry/core/broker/kit';
import { expect, it } from 'vitest';
import { assertBalanced } from '../support/broker-checked.ts';
import { useRedis } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { settlementOf } from '../support/settle.ts';

describeOnRedis('turns of fairness keys on Redis', (server) => {
  const redis = useRedis(server);
  const submit = (...ids: readonly string[]) => redis.broker.submit(ids.map(runOf));
  /** Of the fairness key that its id begins with. */
  const runOf = (id: string): Submission => ({ id, lane: 'l', payload: '1', fairnessKey: id.charAt(0) });
  let requests = 0;
  const claim = async (limit = 100) => {
    const requestId = `r${++requests}`;
    const lanes = new Map([['l', limit]]);
    const { claimed } = await redis.broker.exchange({
      claim: { worker: 'w', requestId, limit, lanes, leaseMs: 60_000 },
    });
    return claimed.map(({ run }) => run);
  };
  const claimIds = async (limit?: number) => (await claim(limit)).map(({ id }) => id);

  it('keeps nothing of a key whose runs have started', async () => {
    await submit('t1', 't2', 't3');
    await cancelRuns(redis.broker, ['t2']);

    expect(await claimIds()).toEqual(['t1', 't3']);

    for (const name of ['turns', 'behind', 'behind-by-lane'])
      expect(await redis.client.exists(redis.key(name))).toBe(0);
    assertBalanced(await redis.broker.audit());
  });

  it('counts a turn of a run that is not in its lane, and runs behind that nobody has the turn of, as unbalanced', async () => {
    await submit('t1', 't2');

    await redis.client.hSet(redis.key('turns'), 'l\0t', 't2');

    // The turn, and the run behind it.
    expect((await redis.broker.audit()).unbalanced).toBe(2);
    await redis.client.hDel(redis.key('turns'), 'l\0t');
    expect((await redis.broker.audit()).unbalanced).toBe(1);
  });

  it('gives the turn to the first run behind, when the one that had it is not known any longer', async () => {
    await submit('t1', 't2', 't3');
    await redis.client.hDel(redis.key('body'), 't1');
    await redis.client.hDel(redis.key('record'), 't1');
    await redis.client.lRem(redis.key('lane:l'), 1, 't1');
    await redis.client.hIncrBy(redis.key('meta'), 'created', -1);

    await submit('t4', 'b1');

    expect(await claimIds()).toEqual(['t2', 'b1', 't3', 't4']);
    assertBalanced(await redis.broker.audit());
  });

  it('gives the turn to the first run behind, when the turns were lost', async () => {
    await submit('t1', 't2', 't3');
    await redis.client.del(redis.key('turns'));
    await redis.client.lRem(redis.key('lane:l'), 1, 't1');

    await submit('t4');

    expect(await claimIds()).toEqual(['t2', 't3', 't4']);
  });

  it('passes lost turns on where the list of a lane is empty, when its depth is asked', async () => {
    await submit('t1', 't2', 'b1', 'b2');
    await redis.client.del(redis.key('lane:l'));
    expect(await claimIds()).toEqual([]);

    await redis.broker.attend();

    expect(await claimIds()).toEqual(['b2', 't2']);
  });

  it('starts a run once that a claim has brought to its lane before it was refused', async () => {
    await submit('t1', 't2', 't3', 'b1');
    await redis.client.rPush(redis.key('lane:l'), 't2');

    expect(await claimIds()).toEqual(['t1', 'b1', 't2', 't3']);

    expect(await claimIds()).toEqual([]);
    assertBalanced(await redis.broker.audit());
  });

  it('passes the turn on of a run that was cancelled by a call that stopped before it left its lane', async () => {
    await submit('t1', 't2', 't3');
    const record = (await redis.client.hGet(redis.key('record'), 't2')) ?? '';
    await redis.client.hSet(redis.key('record'), 't1', `X${record.slice(1)}`);

    expect(await claimIds()).toEqual(['t2', 't3']);
  });

  it('passes the turn on of a run whose record cannot be read', async () => {
    await submit('t1', 't2', 't3');
    await redis.client.hSet(redis.key('record'), 't1', 'garbage');
    await redis.client.hSet(redis.key('record'), 't2', 'garbage');

    expect(await claimIds()).toEqual(['t3']);

    const { runs } = await redis.broker.list({ state: 'failed', errorName: 'UNREADABLE_RUN', limit: 10 });
    expect(runs.map(({ id }) => id)).toEqual(['t1', 't2']);
    assertBalanced(await redis.broker.audit());
  });

  it('passes the turn on of a run whose body cannot be read', async () => {
    await submit('t1', 't2', 'b1', 'b2');
    await redis.client.hSet(redis.key('body'), 't1', 'garbage');

    expect(await claimIds()).toEqual(['b1', 't2', 'b2']);

    const { runs } = await redis.broker.list({ state: 'failed', errorName: 'UNREADABLE_RUN', limit: 10 });
    expect(runs.map(({ id }) => id)).toEqual(['t1']);
    assertBalanced(await redis.broker.audit());
  });

  it('brings a run back behind the turn, when its settlement stopped before it removed the lease', async () => {
    await submit('t1', 't2', 't3');
    const [run] = await claim(1);
    if (run === undefined) throw new Error('nothing was claimed');
    const at = run.firstStartedAt ?? 0;
    await redis.broker.exchange({ settle: [settlementOf(run, { type: 'retry', at, runAt: at })] });
    await redis.client.zAdd(redis.key('leases'), { score: 1, value: 't1' });
    await redis.client.del(redis.key('behind-by-lane'));

    expect(await redis.broker.findExpired(10)).toEqual([]);

    expect(await claimIds()).toEqual(['t2', 't3', 't1']);
  });

  it.each(['turns', 'behind'])('submits no run while another program uses the key %s', async (name) => {
    await submit('t1', 't2');
    await redis.client.rename(redis.key(name), redis.key('other'));
    await redis.client.set(redis.key(name), 'of another program');

    await expect(submit('t3')).rejects.toThrow('WRONGTYPE');

    await redis.client.del(redis.key(name));
    await redis.client.rename(redis.key('other'), redis.key(name));
    expect(await submit('t3')).toEqual(['created']);
    expect(await claimIds()).toEqual(['t1', 't2', 't3']);
    assertBalanced(await redis.broker.audit());
  });

  it('claims no run while another program uses the key of turns', async () => {
    await submit('t1', 't2', 't3');
    await redis.client.rename(redis.key('turns'), redis.key('other'));
    await redis.client.set(redis.key('turns'), 'of another program');

    await expect(claim()).rejects.toThrow('WRONGTYPE');

    await redis.client.rename(redis.key('other'), redis.key('turns'));
    expect(await claimIds()).toEqual(['t1', 't2', 't3']);
    assertBalanced(await redis.broker.audit());
  });

  it('takes texts for keys that separate fields on the server', async () => {
    const keys = ['\u0001', '\u0001a', 'f', '7', 'w', '-'];
    await redis.broker.submit(
      keys.flatMap((fairnessKey, index) =>
        [1, 2].map((order) => ({ ...runOf(`${index}-${order}`), fairnessKey, keyed: order === 2 })),
      ),
    );

    const claimed = await claim();

    const expected = [1, 2].flatMap((order) =>
      keys.map((fairnessKey, index) => ({ id: `${index}-${order}`, fairnessKey })),
    );
    expect(claimed.map(({ id, fairnessKey }) => ({ id, fairnessKey }))).toEqual(expected);
    assertBalanced(await redis.broker.audit());
  });
});
