import type { Broker } from '@retry/core/broker';
import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { createClient } from 'redis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { assertBalanced } from '../support/broker-checked.ts';
import type { RedisHarness } from '../support/redis-harness.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { settlementOf } from '../support/settle.ts';

const GARBAGE = [
  '',
  'x',
  'w',
  'r',
  'wwwwwwwwwwwww',
  '{"state":"submitted"}',
  'd0',
  '\u0000',
  'C@zzzzz',
  'x'.repeat(300),
];

describeOnRedis('a run that cannot be read on Redis', (server) => {
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
  const submit = (...ids: readonly string[]) =>
    broker.submit(ids.map((id) => ({ id, lane: 'l', payload: `"${id}"` })));
  let requests = 0;
  const claim = async (leaseMs = 60_000) => {
    const lanes = new Map([['l', 100]]);
    const claim = { worker: 'w', requestId: `r${++requests}`, limit: 100, lanes, leaseMs };
    return (await broker.exchange({ claim })).claimed;
  };
  /** Fails once, so that it waits with a record. */
  const retried = async (id: string) => {
    await submit(id);
    const { now } = await broker.exchange({});
    for (const { run } of await claim())
      await broker.exchange({ settle: [settlementOf(run, { type: 'retry', at: now, runAt: now })] });
  };
  const expectQuarantined = async (id: string) => {
    const letters = (await broker.list({ state: 'failed', errorName: 'UNREADABLE_RUN', limit: 10 })).runs;
    expect(letters).toMatchObject([{ id, state: 'failed', errors: [{ name: 'UNREADABLE_RUN' }] }]);
    assertBalanced(await broker.audit());
    expect(await discardRuns(broker, [id])).toEqual(['discarded']);
    assertBalanced(await broker.audit());
  };

  it.each(GARBAGE)(
    'is quarantined by the claim that reads its record, and the next run is claimed: %j',
    async (text) => {
      await retried('broken');
      await submit('next');
      await client.hSet(key('record'), 'broken', text);

      const claimed = await claim();

      expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
      await expectQuarantined('broken');
    },
  );

  it.each(GARBAGE)(
    'is quarantined by the claim that reads its body, and the next run is claimed: %j',
    async (text) => {
      await submit('broken', 'next');
      await client.hSet(key('body'), 'broken', text);

      const claimed = await claim();

      expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
      await expectQuarantined('broken');
    },
  );

  it('is quarantined when its body is missing', async () => {
    await submit('broken', 'next');
    await client.hDel(key('body'), 'broken');

    const claimed = await claim();

    expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it('is quarantined when its epoch is the last one', async () => {
    await retried('broken');
    const record = String(await client.hGet(key('record'), 'broken'));
    await client.hSet(key('record'), 'broken', `${record.slice(0, 2)}9999999999${record.slice(12)}`);
    await submit('next');

    const claimed = await claim();

    expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it.each([
    ['"failures":1', '"failures":"1"'],
    ['"failures":1', '"failures":-1'],
    ['"errors":[]', '"errors":[5]'],
    ['"errors":[]', '"errors":[[null]]'],
    ['"errors":[]', '"errors":[[1,5,"E","m",null,"5",null,null]]'],
    ['"errors":[]', '"previousDelayMs":-5,"errors":[]'],
  ])('is quarantined when its counters or errors are none: %s as %s', async (right, wrong) => {
    await retried('broken');
    const record = String(await client.hGet(key('record'), 'broken'));
    expect(record).toContain(right);
    await client.hSet(key('record'), 'broken', record.replace(right, wrong));
    await submit('next');

    const claimed = await claim();

    expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it('is quarantined when its counters and errors are not JSON', async () => {
    await retried('broken');
    const record = String(await client.hGet(key('record'), 'broken'));
    await client.hSet(key('record'), 'broken', record.replace('{', '['));
    await submit('next');

    const claimed = await claim();

    expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it('is quarantined when its payload, which is kept apart, is missing', async () => {
    await broker.submit([{ id: 'broken', lane: 'l', payload: JSON.stringify('x'.repeat(10_000)) }]);
    await submit('next');
    await client.del(key('large'));

    const claimed = await claim();

    expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it('is quarantined when it is due', async () => {
    await broker.submit([{ id: 'broken', lane: 'l', payload: '1', delayMs: 30 }]);
    await client.hSet(key('record'), 'broken', 'x');
    await submit('next');
    await harness.advance(60);

    const claimed = await claim();

    expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it.each(GARBAGE)('is quarantined by a cleaner, which finds the others: %j', async (text) => {
    await submit('broken', 'next');
    await claim(1);
    await client.hSet(key('record'), 'broken', text);
    await harness.advance(10);

    const found = await broker.findExpired(10);

    expect(found.map(({ id }) => id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it('is read as failed, and others beside it as they are', async () => {
    await submit('broken', 'next');
    await client.hSet(key('body'), 'broken', 'x');

    const [broken, next] = await broker.get(['broken', 'next']);

    expect(broken).toMatchObject({ state: 'failed', errors: [{ name: 'UNREADABLE_RUN' }] });
    expect(next).toMatchObject({ state: 'submitted', payload: '"next"' });
  });

  it.each(GARBAGE)('does not affect other runs of the same calls: %j', async (text) => {
    await submit('broken', 'next');
    const [, next] = await claim();
    await client.hSet(key('record'), 'broken', text);
    await client.hSet(key('body'), 'broken', text);
    await client.hSet(key('replies'), `w\0r${requests}`, text);
    const { now: at } = await broker.exchange({});
    const beats = ['broken', 'next'].map((id) => ({ id, epoch: 1 }));

    expect((await broker.heartbeat(beats, 1_000))[1]).toBe('ok');
    expect((await broker.heartbeat(beats, 0))[1]).toBe('ok');
    expect((await cancelRuns(broker, ['broken', 'next']))[1]).toBe('requested');
    expect((await redriveRuns(broker, ['broken', 'next']))[1]).toBe('refused');
    expect((await discardRuns(broker, ['broken', 'next']))[1]).toBe('refused');
    const settle = beats.flatMap(({ id }) =>
      next === undefined ? [] : [{ ...settlementOf(next.run, { type: 'fail', at }), id }],
    );
    expect((await broker.exchange({ settle })).settled[1]).toBe('ok');
    expect((await broker.list({ state: 'failed', limit: 10 })).runs).toMatchObject([{ id: 'next' }]);
  });

  it('stays in its lane when the server refuses the claim', async () => {
    await submit('a', 'b');
    await client.set(key('lane:wrong'), 'not a list');
    const lanes = new Map([
      ['l', 10],
      ['wrong', 10],
    ]);

    const refused = broker.exchange({
      claim: { worker: 'w', requestId: 'x', limit: 10, lanes, leaseMs: 1_000 },
    });

    const error = await refused.catch((reason: unknown) => reason);
    expect(broker.isRefusal(error)).toBe(true);
    expect((await claim()).map(({ run }) => run.id)).toEqual(['a', 'b']);
    assertBalanced(await broker.audit());
  });
});

/** What no script writes where it counts; Lua takes most of them for numbers. */
const ODD_COUNTS = ['', 'x', 'nan', '-nan', 'inf', '1e400', '-5', '1.5', '0x10', '9223372036854775807'];

describeOnRedis('a count that is none on Redis', (server) => {
  let harness: RedisHarness;
  let client: Awaited<ReturnType<typeof connect>>;
  const connect = () => createClient({ url: server().url }).connect();
  beforeEach(async () => {
    harness = await openRedisHarness(server().url);
    client = await connect();
  });
  afterEach(async () => {
    await harness.close();
    await client.close();
  });

  const key = (name: string) => `{${harness.prefix}:0}:${name}`;
  const claimAll = async () => {
    const claim = { worker: 'w', requestId: 'r', limit: 9, lanes: new Map([['l', 9]]), leaseMs: 60_000 };
    return (await harness.broker.exchange({ claim })).claimed.map(({ run }) => run.id);
  };

  it.each(ODD_COUNTS)('stops no lane as the slots that a key has taken: %j', async (text) => {
    const concurrency = { key: 'k', limit: 2, whenFull: 'wait' } as const;
    await client.hSet(key('slots-taken'), 'k', text);

    await harness.broker.submit(['a', 'b', 'c'].map((id) => ({ id, lane: 'l', payload: '1', concurrency })));

    expect(await claimAll()).toEqual(['a', 'b']);
    expect(await client.hGet(key('slots-taken'), 'k')).toBe('2');
  });

  it.each(ODD_COUNTS)('stops no lane as the number of runs that were cancelled in it: %j', async (text) => {
    const { broker } = harness;
    await broker.submit(['a', 'b', 'c'].map((id) => ({ id, lane: 'l', payload: '1' })));
    await client.hSet(key('cancelled-in-lane'), { '\0l': text, 'l\0a': text, 'l\0b': text });

    expect(await cancelRuns(broker, ['b'])).toEqual(['cancelled']);
    expect(await claimAll()).toEqual(['a', 'c']);
  });

  it.each(['nan', '-nan', 'x', ''])(
    'makes a run one that cannot be read, as the limit of its key: %j',
    async (text) => {
      const { broker } = harness;
      const concurrency = { key: 'k', limit: 7, whenFull: 'wait' } as const;
      await broker.submit([{ id: 'broken', lane: 'l', payload: '1', concurrency }]);
      await broker.submit([{ id: 'next', lane: 'l', payload: '1' }]);
      const body = String(await client.hGet(key('body'), 'broken'));
      expect(body).toContain('7\0k\0');
      await client.hSet(key('body'), 'broken', body.replace('7\0k\0', `${text}\0k\0`));

      expect(await claimAll()).toEqual(['next']);
      expect((await broker.get(['broken']))[0]).toMatchObject({ errors: [{ name: 'UNREADABLE_RUN' }] });
    },
  );
});
