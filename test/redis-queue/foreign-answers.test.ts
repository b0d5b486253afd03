import { listHolds, readAnswers } from '@retry/core/broker/kit';
import { createRedisBroker } from '@retry/redis-queue';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { changedReply } from '../../packages/redis-queue/src/errors.ts';
import { readNotesScript } from '../../packages/redis-queue/src/scripts/lua-code.ts';
import { createKeys } from '../../packages/redis-queue/src/store/keys.ts';
import { runListScript } from '../../packages/redis-queue/src/store/store.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';

describe('answers of a verb', () => {
  it.each([undefined, null, 7, 'QUEUED', 'oz', {}])('that are %j are one typed error', (reply) => {
    expect(() => readAnswers('settle', reply, changedReply)).toThrow(
      expect.objectContaining({ code: 'CLIENT_CONVERTS_REPLIES' }),
    );
  });
});

describe('lists that a verb reads', () => {
  it.each([null, 7, 'OK', {}, true])('that are %j are one typed error', async (reply) => {
    const client = { sendCommand: async ([name]: readonly string[]) => (name === 'EVALSHA' ? reply : 'OK') };
    const link = {
      send: async (_key: string, args: readonly unknown[]) => client.sendCommand(args.map(String)),
    };
    const store = { link, keys: createKeys('retry', 0) } as never; // what running a script reads of it

    await expect(runListScript(store, readNotesScript, [])).rejects.toMatchObject({
      code: 'CLIENT_CONVERTS_REPLIES',
    });
  });
});

describeOnRedis('a client on which a transaction is open', (server) => {
  it('is one typed error of every call that it only queues', async () => {
    const client = new Redis(server().url);
    const broker = createRedisBroker({ client, prefix: 'foreign-answers' });
    await broker.ready();
    client.multi({ pipeline: false });

    const lanes = new Map([['l', 1]]);
    const claim = { worker: 'w', requestId: 'r', limit: 1, lanes, leaseMs: 1_000 };
    const calls = [
      broker.submit([{ id: 'a', lane: 'l', payload: '1' }]),
      broker.exchange({ claim }),
      broker.get(['a']),
      broker.audit(),
      listHolds(broker),
    ];

    const refused = { status: 'rejected', reason: { code: 'CLIENT_CONVERTS_REPLIES' } };
    expect(await Promise.allSettled(calls)).toMatchObject(calls.map(() => refused));
    client.disconnect();
    await broker.close();
  });
});
