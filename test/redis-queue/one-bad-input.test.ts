import type { ClaimedRun } from '@retry/core/broker';
import { discardRuns, redriveRuns } from '@retry/core/broker/kit';

import { createClient } from 'redis';
import { expect, it } from 'vitest';
import { openRedisBroker, useRedis } from '../support/redis-harness.ts';
import { describeOnPrivateRedis, describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { settlementOf } from '../support/settle.ts';

const MIB = 1_048_576;

describeOnRedis('one bad input on Redis', (server) => {
  const redis = useRedis(server, { keepCompleted: { count: Infinity, bytes: Infinity } });

  let requests = 0;
  const claim = async (lane: string, { limit = 10_000, leaseMs = 60_000 } = {}) => {
    const lanes = new Map([[lane, limit]]);
    const claim = { worker: 'w', requestId: `r${++requests}`, limit, lanes, leaseMs };
    return (await redis.broker.exchange({ claim })).claimed;
  };

  it.each(['', 'x', 'NaN', '1e300', '-1', '0', '9'.repeat(400), '{"type":"work"}', '\u0000'])(
    'a message of another program on the channel only ends a wait: %j',
    async (message) => {
      const client = await createClient({ url: server().url }).connect();
      const channel = `{${redis.prefix}:0}:wake:l`;
      const waiting = redis.broker.wait({ lanes: ['l'], timeoutMs: 30_000 });
      while ((await client.pubSubNumSub(channel))[channel] === 0) await redis.advance(5);
      await redis.advance(100);

      await client.publish(channel, message);

      await waiting;
      expect(await redis.broker.submit([{ id: 'a', lane: 'l', payload: '1' }])).toEqual(['created']);
      await client.close();
    },
  );

  it('5 000 expired runs of an unknown lane hide none of a known one', async () => {
    const ids = Array.from({ length: 5_000 }, (_, index) => `unknown-${index}`);
    await redis.broker.submit(ids.map((id) => ({ id, lane: 'unknown', payload: '1' })));
    await claim('unknown', { leaseMs: 1 });
    await redis.broker.submit([{ id: 'known', lane: 'known', payload: '1' }]);
    await claim('known', { leaseMs: 1 });
    await redis.advance(20);

    const found = await redis.broker.findExpired(1_000, { lanes: ['known', 'other'] });
    const rest = await redis.broker.findExpired(10, { exceptLanes: ['unknown'] });
    const all = await redis.broker.findExpired(10_000);

    expect(found.map(({ id }) => id)).toEqual(['known']);
    expect(rest.map(({ id }) => id)).toEqual(['known']);
    expect(all).toHaveLength(5_001);
  });

  it('520 large runs of dead workers are found, settled, listed and redriven', async () => {
    const payload = JSON.stringify('x'.repeat(MIB));
    const ids = Array.from({ length: 520 }, (_, index) => `${index}`);
    await redis.broker.submit(ids.map((id) => ({ id, lane: 'l', payload })));
    const sizes: number[] = [];
    for (let got = await claim('l', { leaseMs: 1 }); got.length > 0; got = await claim('l', { leaseMs: 1 }))
      sizes.push(got.length);
    await redis.advance(20);

    const expired = await redis.broker.findExpired(1_000);
    const { now: at } = await redis.broker.exchange({});
    const settle = expired.map((run) => settlementOf(run, { type: 'stall', at }, { onlyIfExpired: true }));
    const { settled } = await redis.broker.exchange({ settle });

    expect(Math.max(...sizes)).toBeLessThanOrEqual(9);
    expect(expired).toHaveLength(520);
    expect(new Set(expired.map((run) => run.payload))).toEqual(new Set(['']));
    expect(new Set(settled)).toEqual(new Set(['ok']));
    const [one] = (await redis.broker.list({ state: 'stalled', limit: 1 })).runs;
    expect(one?.payload === payload).toBe(true);
    expect((await redis.broker.list({ state: 'stalled', limit: 1_000 })).runs.length).toBeLessThanOrEqual(9);
    expect(new Set(await redriveRuns(redis.broker, ids))).toEqual(new Set(['redriven']));
    expect((await claim('l'))[0]?.run.payload === payload).toBe(true);
  });

  it('300 large results settle in one call, and again when its reply was lost', async () => {
    const result = JSON.stringify('y'.repeat(2 * MIB));
    await redis.broker.submit(
      Array.from({ length: 300 }, (_, index) => ({ id: `${index}`, lane: 'l', payload: '1' })),
    );
    const claimed = await claim('l');
    const { now: at } = await redis.broker.exchange({});
    const settle = claimed.map(({ run }: ClaimedRun) =>
      settlementOf(run, { type: 'complete', at }, { result }),
    );

    const first = await redis.broker.exchange({ settle });
    const again = await redis.broker.exchange({ settle });

    expect(new Set(first.settled)).toEqual(new Set(['ok']));
    expect(new Set(again.settled)).toEqual(new Set(['already']));
    expect((await redis.broker.get(['7']))[0]?.result === result).toBe(true);
    await discardRuns(
      redis.broker,
      claimed.map(({ run }) => run.id),
    );
    const client = await createClient({ url: server().url }).connect();
    expect(await client.exists(`{${redis.prefix}:0}:large`)).toBe(0);
    await client.close();
  });
});

describeOnPrivateRedis('what is refused', () => {
  it('is distinguished from errors that pass, by the messages of the server', async () => {
    const server = await startPrivateRedis();
    const broker = await openRedisBroker({ url: server.url });
    const client = await createClient({ url: server.url }).connect();
    const errorOf = (...args: readonly string[]) =>
      client.sendCommand([...args]).then(
        () => undefined,
        (error: unknown) => error,
      );
    const script = (text: string) => errorOf('EVAL', text, '0');
    await client.set('text', 'a');
    const refused = [
      await script('return nothing.at.all'),
      await script("return redis.call('LPUSH', 'text', 'a')"),
      await script("return redis.call('SET', 'text')"),
      await script('this is no Lua'),
      await errorOf('LPUSH', 'text', 'a'),
      await errorOf('GET'),
      await errorOf('INCR', 'text'),
      new TypeError('no'),
      new RangeError('no'),
      Object.assign(new Error('no'), { code: 'ERR_STRING_TOO_LONG' }),
    ];
    await client.configSet('maxmemory', '1');
    const passing = [
      await errorOf('SET', 'a', 'b'),
      await script("return redis.call('SET', 'a', 'b')"),
      await errorOf('EVALSHA', '0'.repeat(40), '0'),
      await errorOf('NOSUCHCOMMAND'),
      ...[
        'LOADING',
        'BUSY',
        'TRYAGAIN',
        'CLUSTERDOWN',
        'READONLY',
        'MASTERDOWN',
        'OOM',
        'NOSCRIPT',
        'NOPERM',
        'NOAUTH',
      ].map((code) => new Error(`${code} so it is`)),
      new Error('MOVED 1 127.0.0.1:1'),
      new Error('ASK 1 127.0.0.1:1'),
      new Error(
        "ERR Error running script (call to f_x): @user_script: 5: -OOM command not allowed when used memory > 'maxmemory'.",
      ),
      new Error(
        'ERR Error running script (call to f_x): @user_script:7: Script killed by user with SCRIPT KILL...',
      ),
      new Error('ERR max number of clients reached'),
      new Error('Socket closed unexpectedly'),
      Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
      undefined,
      null,
      'ERR text',
    ];
    await client.configSet('maxmemory', '0');

    expect(refused.map((error) => [String(error), broker.isRefusal(error)])).toEqual(
      refused.map((error) => [String(error), true]),
    );
    expect(passing.map((error) => [String(error), broker.isRefusal(error)])).toEqual(
      passing.map((error) => [String(error), false]),
    );
    await broker.close();
    await client.close();
    await server.stop();
  });
});
