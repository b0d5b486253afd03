import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { expect, it } from 'vitest';
import { assertBalanced } from '../support/broker-checked.ts';
import { useRedis } from '../support/redis-harness.ts';
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
  const redis = useRedis(server);
  const submit = (...ids: readonly string[]) =>
    redis.broker.submit(ids.map((id) => ({ id, lane: 'l', payload: `"${id}"` })));
  let requests = 0;
  const claim = async (leaseMs = 60_000) => {
    const lanes = new Map([['l', 100]]);
    const claim = { worker: 'w', requestId: `r${++requests}`, limit: 100, lanes, leaseMs };
    return (await redis.broker.exchange({ claim })).claimed;
  };
  /** Fails once, so that it waits with a record. */
  const retried = async (id: string, payload = `"${id}"`) => {
    await redis.broker.submit([{ id, lane: 'l', payload }]);
    const { now } = await redis.broker.exchange({});
    for (const { run } of await claim())
      await redis.broker.exchange({ settle: [settlementOf(run, { type: 'retry', at: now, runAt: now })] });
  };
  const expectQuarantined = async (id: string) => {
    const letters = (await redis.broker.list({ state: 'failed', errorName: 'UNREADABLE_RUN', limit: 10 }))
      .runs;
    expect(letters).toMatchObject([{ id, state: 'failed', errors: [{ name: 'UNREADABLE_RUN' }] }]);
    assertBalanced(await redis.broker.audit());
    expect(await discardRuns(redis.broker, [id])).toEqual(['discarded']);
    assertBalanced(await redis.broker.audit());
  };

  it.each(GARBAGE)(
    'is quarantined by the claim that reads its record, and the next run is claimed: %j',
    async (text) => {
      await retried('broken');
      await submit('next');
      await redis.client.hSet(redis.key('record'), 'broken', text);

      const claimed = await claim();

      expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
      await expectQuarantined('broken');
    },
  );

  it.each(GARBAGE)(
    'is quarantined by the claim that reads its body, and the next run is claimed: %j',
    async (text) => {
      await submit('broken', 'next');
      await redis.client.hSet(redis.key('body'), 'broken', text);

      const claimed = await claim();

      expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
      await expectQuarantined('broken');
    },
  );

  it('is quarantined when its body is missing', async () => {
    await submit('broken', 'next');
    await redis.client.hDel(redis.key('body'), 'broken');

    const claimed = await claim();

    expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it('is quarantined when its epoch is the last one', async () => {
    await retried('broken');
    const record = String(await redis.client.hGet(redis.key('record'), 'broken'));
    await redis.client.hSet(
      redis.key('record'),
      'broken',
      `${record.slice(0, 2)}9999999999${record.slice(12)}`,
    );
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
    const record = String(await redis.client.hGet(redis.key('record'), 'broken'));
    expect(record).toContain(right);
    await redis.client.hSet(redis.key('record'), 'broken', record.replace(right, wrong));
    await submit('next');

    const claimed = await claim();

    expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it('is quarantined when its counters and errors are not JSON', async () => {
    await retried('broken');
    const record = String(await redis.client.hGet(redis.key('record'), 'broken'));
    await redis.client.hSet(redis.key('record'), 'broken', record.replace('{', '['));
    await submit('next');

    const claimed = await claim();

    expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it('is quarantined when its payload, which is kept apart, is missing', async () => {
    await redis.broker.submit([{ id: 'broken', lane: 'l', payload: JSON.stringify('x'.repeat(10_000)) }]);
    await submit('next');
    await redis.client.del(redis.key('large'));

    const claimed = await claim();

    expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it('is quarantined when its payload is missing at a later start, too', async () => {
    await retried('broken', JSON.stringify('x'.repeat(10_000)));
    await submit('next');
    await redis.client.del(redis.key('large'));

    const claimed = await claim();

    expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it('is quarantined when it is due', async () => {
    await redis.broker.submit([{ id: 'broken', lane: 'l', payload: '1', delayMs: 30 }]);
    await redis.client.hSet(redis.key('record'), 'broken', 'x');
    await submit('next');
    await redis.advance(60);

    const claimed = await claim();

    expect(claimed.map(({ run }) => run.id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it.each(GARBAGE)('is quarantined by a cleaner, which finds the others: %j', async (text) => {
    await submit('broken', 'next');
    await claim(1);
    await redis.client.hSet(redis.key('record'), 'broken', text);
    await redis.advance(10);

    const found = await redis.broker.findExpired(10);

    expect(found.map(({ id }) => id)).toEqual(['next']);
    await expectQuarantined('broken');
  });

  it('is read as failed, and others beside it as they are', async () => {
    await submit('broken', 'next');
    await redis.client.hSet(redis.key('body'), 'broken', 'x');

    const [broken, next] = await redis.broker.get(['broken', 'next']);

    expect(broken).toMatchObject({ state: 'failed', errors: [{ name: 'UNREADABLE_RUN' }] });
    expect(next).toMatchObject({ state: 'submitted', payload: '"next"' });
  });

  it.each(GARBAGE)('does not affect other runs of the same calls: %j', async (text) => {
    await submit('broken', 'next');
    const [, next] = await claim();
    await redis.client.hSet(redis.key('record'), 'broken', text);
    await redis.client.hSet(redis.key('body'), 'broken', text);
    await redis.client.hSet(redis.key('replies'), `w\0r${requests}`, text);
    const { now: at } = await redis.broker.exchange({});
    const beats = ['broken', 'next'].map((id) => ({ id, epoch: 1 }));

    expect((await redis.broker.heartbeat(beats, 1_000))[1]).toBe('ok');
    expect((await redis.broker.heartbeat(beats, 0))[1]).toBe('ok');
    expect((await cancelRuns(redis.broker, ['broken', 'next']))[1]).toBe('requested');
    expect((await redriveRuns(redis.broker, ['broken', 'next']))[1]).toBe('refused');
    expect((await discardRuns(redis.broker, ['broken', 'next']))[1]).toBe('refused');
    const settle = beats.flatMap(({ id }) =>
      next === undefined ? [] : [{ ...settlementOf(next.run, { type: 'fail', at }), id }],
    );
    expect((await redis.broker.exchange({ settle })).settled[1]).toBe('ok');
    expect((await redis.broker.list({ state: 'failed', limit: 10 })).runs).toMatchObject([{ id: 'next' }]);
  });

  it('stays in its lane when the server refuses the claim', async () => {
    await submit('a', 'b');
    await redis.client.set(redis.key('lane:wrong'), 'not a list');
    const lanes = new Map([
      ['l', 10],
      ['wrong', 10],
    ]);

    const refused = redis.broker.exchange({
      claim: { worker: 'w', requestId: 'x', limit: 10, lanes, leaseMs: 1_000 },
    });

    const error = await refused.catch((reason: unknown) => reason);
    expect(redis.broker.isRefusal(error)).toBe(true);
    expect((await claim()).map(({ run }) => run.id)).toEqual(['a', 'b']);
    assertBalanced(await redis.broker.audit());
  });
});

/** What no script writes where it counts; Lua takes most of them for numbers. */
const ODD_COUNTS = ['', 'x', 'nan', '-nan', 'inf', '1e400', '-5', '1.5', '0x10', '9223372036854775807'];

describeOnRedis('a count that is none on Redis', (server) => {
  const redis = useRedis(server);
  const claimAll = async () => {
    const claim = { worker: 'w', requestId: 'r', limit: 9, lanes: new Map([['l', 9]]), leaseMs: 60_000 };
    return (await redis.broker.exchange({ claim })).claimed.map(({ run }) => run.id);
  };

  it.each(ODD_COUNTS)('stops no lane as the slots that a key has taken: %j', async (text) => {
    const concurrency = { key: 'k', limit: 2, whenFull: 'wait' } as const;
    await redis.client.hSet(redis.key('slots-taken'), 'k', text);

    await redis.broker.submit(['a', 'b', 'c'].map((id) => ({ id, lane: 'l', payload: '1', concurrency })));

    expect(await claimAll()).toEqual(['a', 'b']);
    expect(await redis.client.hGet(redis.key('slots-taken'), 'k')).toBe('2');
  });

  it.each(ODD_COUNTS)('stops no lane as the number of runs that were cancelled in it: %j', async (text) => {
    const { broker } = redis;
    await broker.submit(['a', 'b', 'c'].map((id) => ({ id, lane: 'l', payload: '1' })));
    await redis.client.hSet(redis.key('cancelled-in-lane'), { '\0l': text, 'l\0a': text, 'l\0b': text });

    expect(await cancelRuns(broker, ['b'])).toEqual(['cancelled']);
    expect(await claimAll()).toEqual(['a', 'c']);
  });

  it.each(['nan', '-nan', 'x', ''])(
    'makes a run one that cannot be read, as the limit of its key: %j',
    async (text) => {
      const { broker } = redis;
      const concurrency = { key: 'k', limit: 7, whenFull: 'wait' } as const;
      await broker.submit([{ id: 'broken', lane: 'l', payload: '1', concurrency }]);
      await broker.submit([{ id: 'next', lane: 'l', payload: '1' }]);
      const body = String(await redis.client.hGet(redis.key('body'), 'broken'));
      expect(body).toContain('7\0k\0');
      await redis.client.hSet(redis.key('body'), 'broken', body.replace('7\0k\0', `${text}\0k\0`));

      expect(await claimAll()).toEqual(['next']);
      expect((await broker.get(['broken']))[0]).toMatchObject({ errors: [{ name: 'UNREADABLE_RUN' }] });
    },
  );
});
