import type { Broker, Submission } from '@retry/core/broker';
import { cancelRuns } from '@retry/core/broker/kit';
import { createClient } from 'redis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { assertBalanced } from '../support/broker-checked.ts';
import type { RedisHarness } from '../support/redis-harness.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { settlementOf } from '../support/settle.ts';

describeOnRedis('turns of fairness keys on Redis', (server) => {
  let harness: RedisHarness;
  let broker: Broker;
  let client: Awaited<ReturnType<typeof connect>>;
  const connect = () => createClient({ url: server().url }).connect();
  beforeEach(async () => {
    harness = await openRedisHarness(server().url);
    broker = harness.broker;
    client = await connect();
  });
  afterEach(async () => {
    await harness.close();
    await client.close();
  });

  const key = (name: string) => `{${harness.prefix}:0}:${name}`;
  const submit = (...ids: readonly string[]) => broker.submit(ids.map(runOf));
  /** Of the fairness key that its id begins with. */
  const runOf = (id: string): Submission => ({ id, lane: 'l', payload: '1', fairnessKey: id.charAt(0) });
  let requests = 0;
  const claim = async (limit = 100) => {
    const requestId = `r${++requests}`;
    const lanes = new Map([['l', limit]]);
    const { claimed } = await broker.exchange({
      claim: { worker: 'w', requestId, limit, lanes, leaseMs: 60_000 },
    });
    return claimed.map(({ run }) => run);
  };
  const claimIds = async (limit?: number) => (await claim(limit)).map(({ id }) => id);

  it('keeps nothing of a key whose runs have started', async () => {
    await submit('t1', 't2', 't3');
    await cancelRuns(broker, ['t2']);

    expect(await claimIds()).toEqual(['t1', 't3']);

    for (const name of ['turns', 'behind', 'behind-by-lane']) expect(await client.exists(key(name))).toBe(0);
    assertBalanced(await broker.audit());
  });

  it('counts a turn of a run that is not in its lane, and runs behind that nobody has the turn of, as unbalanced', async () => {
    await submit('t1', 't2');

    await client.hSet(key('turns'), 'l\0t', 't2');

    // The turn, and the run behind it.
    expect((await broker.audit()).unbalanced).toBe(2);
    await client.hDel(key('turns'), 'l\0t');
    expect((await broker.audit()).unbalanced).toBe(1);
  });

  it('gives the turn to the first run behind, when the one that had it is not known any longer', async () => {
    await submit('t1', 't2', 't3');
    await client.hDel(key('body'), 't1');
    await client.hDel(key('record'), 't1');
    await client.lRem(key('lane:l'), 1, 't1');
    await client.hIncrBy(key('meta'), 'created', -1);

    await submit('t4', 'b1');

    expect(await claimIds()).toEqual(['t2', 'b1', 't3', 't4']);
    assertBalanced(await broker.audit());
  });

  it('gives the turn to the first run behind, when the turns were lost', async () => {
    await submit('t1', 't2', 't3');
    await client.del(key('turns'));
    await client.lRem(key('lane:l'), 1, 't1');

    await submit('t4');

    expect(await claimIds()).toEqual(['t2', 't3', 't4']);
  });

  it('passes lost turns on where the list of a lane is empty, when its depth is asked', async () => {
    await submit('t1', 't2', 'b1', 'b2');
    await client.del(key('lane:l'));
    expect(await claimIds()).toEqual([]);

    await broker.attend();

    expect(await claimIds()).toEqual(['b2', 't2']);
  });

  it('starts a run once that a claim has brought to its lane before it was refused', async () => {
    await submit('t1', 't2', 't3', 'b1');
    await client.rPush(key('lane:l'), 't2');

    expect(await claimIds()).toEqual(['t1', 'b1', 't2', 't3']);

    expect(await claimIds()).toEqual([]);
    assertBalanced(await broker.audit());
  });

  it('passes the turn on of a run that was cancelled by a call that stopped before it left its lane', async () => {
    await submit('t1', 't2', 't3');
    const record = (await client.hGet(key('record'), 't2')) ?? '';
    await client.hSet(key('record'), 't1', `X${record.slice(1)}`);

    expect(await claimIds()).toEqual(['t2', 't3']);
  });

  it('passes the turn on of a run whose record cannot be read', async () => {
    await submit('t1', 't2', 't3');
    await client.hSet(key('record'), 't1', 'garbage');
    await client.hSet(key('record'), 't2', 'garbage');

    expect(await claimIds()).toEqual(['t3']);

    const { runs } = await broker.list({ state: 'failed', errorName: 'UNREADABLE_RUN', limit: 10 });
    expect(runs.map(({ id }) => id)).toEqual(['t1', 't2']);
    assertBalanced(await broker.audit());
  });

  it('passes the turn on of a run whose body cannot be read', async () => {
    await submit('t1', 't2', 'b1', 'b2');
    await client.hSet(key('body'), 't1', 'garbage');

    expect(await claimIds()).toEqual(['b1', 't2', 'b2']);

    const { runs } = await broker.list({ state: 'failed', errorName: 'UNREADABLE_RUN', limit: 10 });
    expect(runs.map(({ id }) => id)).toEqual(['t1']);
    assertBalanced(await broker.audit());
  });

  it('brings a run back behind the turn, when its settlement stopped before it removed the lease', async () => {
    await submit('t1', 't2', 't3');
    const [run] = await claim(1);
    if (run === undefined) throw new Error('nothing was claimed');
    const at = run.firstStartedAt ?? 0;
    await broker.exchange({ settle: [settlementOf(run, { type: 'retry', at, runAt: at })] });
    await client.zAdd(key('leases'), { score: 1, value: 't1' });
    await client.del(key('behind-by-lane'));

    expect(await broker.findExpired(10)).toEqual([]);

    expect(await claimIds()).toEqual(['t2', 't3', 't1']);
  });

  it.each(['turns', 'behind'])('submits no run while another program uses the key %s', async (name) => {
    await submit('t1', 't2');
    await client.rename(key(name), key('other'));
    await client.set(key(name), 'of another program');

    await expect(submit('t3')).rejects.toThrow('WRONGTYPE');

    await client.del(key(name));
    await client.rename(key('other'), key(name));
    expect(await submit('t3')).toEqual(['created']);
    expect(await claimIds()).toEqual(['t1', 't2', 't3']);
    assertBalanced(await broker.audit());
  });

  it('claims no run while another program uses the key of turns', async () => {
    await submit('t1', 't2', 't3');
    await client.rename(key('turns'), key('other'));
    await client.set(key('turns'), 'of another program');

    await expect(claim()).rejects.toThrow('WRONGTYPE');

    await client.rename(key('other'), key('turns'));
    expect(await claimIds()).toEqual(['t1', 't2', 't3']);
    assertBalanced(await broker.audit());
  });

  it('takes texts for keys that separate fields on the server', async () => {
    const keys = ['\u0001', '\u0001a', 'f', '7', 'w', '-'];
    await broker.submit(
      keys.flatMap((fairnessKey, index) =>
        [1, 2].map((order) => ({ ...runOf(`${index}-${order}`), fairnessKey, keyed: order === 2 })),
      ),
    );

    const claimed = await claim();

    const expected = [1, 2].flatMap((order) =>
      keys.map((fairnessKey, index) => ({ id: `${index}-${order}`, fairnessKey })),
    );
    expect(claimed.map(({ id, fairnessKey }) => ({ id, fairnessKey }))).toEqual(expected);
    assertBalanced(await broker.audit());
  });
});
