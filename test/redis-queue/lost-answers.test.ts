import type { Broker } from '@retry/core/broker';
import { cancelRuns } from '@retry/core/broker/kit';
import type { RedisClient } from '@retry/redis-queue';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { expect, it } from 'vitest';
import { changeScript, writeNotesScript } from '../../packages/redis-queue/src/scripts/lua-code.ts';
import { OPERATOR_CALLS, setUpOperated } from '../support/operator-calls.ts';
import { openRedisBroker } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { openProxy } from '../support/tcp-proxy.ts';

interface Opened {
  readonly client: RedisClient;
  readonly close: () => void;
}

const CLIENTS = {
  redis: async (url: string): Promise<Opened> => {
    const client = createClient({ url });
    client.on('error', () => {});
    await client.connect();
    return { client, close: () => client.destroy() };
  },
  ioredis: async (url: string): Promise<Opened> => {
    const client = new Redis(url);
    client.on('error', () => {});
    return { client, close: () => client.disconnect() };
  },
};

/** A server that does not know the script would refuse it, and the answer that is lost would be the refusal. */
async function loadChangeScript(broker: Broker): Promise<void> {
  await broker.submit([{ id: 'other', lane: 'l', payload: '1' }]);
  expect(await cancelRuns(broker, ['other'])).toEqual(['cancelled']);
}

/** Makes a call whose answer is lost once it is applied. Returns what it was answered, or the error. */
async function loseAnswer(name: keyof typeof CLIENTS, call: string, server: string): Promise<unknown> {
  const url = new URL(server);
  const proxy = await openProxy(Number(url.port));
  url.port = String(proxy.port);
  const { client, close } = await CLIENTS[name](url.href);
  const broker = await openRedisBroker({ client, prefix: `lost-${name}-${call}` });
  await setUpOperated(broker);
  await loadChangeScript(broker);

  const isOfNotes = call === 'resume' || call === 'cancel an operation';
  proxy.loseReplyTo((isOfNotes ? writeNotesScript : changeScript).hash);
  const answer = await OPERATOR_CALLS[call]?.[0](broker).catch((error: unknown) => error);

  expect(proxy.lost()).toBe(1);
  await broker.close();
  close();
  await proxy.close();
  return answer;
}

describeOnRedis('a call of an operator whose answer was lost', (server) => {
  it.each(Object.keys(OPERATOR_CALLS))('rejects by redis: %s', async (call) => {
    expect(await loseAnswer('redis', call, server().url)).toBeInstanceOf(Error);
  });

  // The package sends every command again.
  it.each([
    ['resume', ['none']],
    ['cancel an operation', 'refused'],
    ['cancel', ['ended']],
    ['reschedule', ['rescheduled']],
    ['redrive', ['refused']],
    ['discard', ['gone']],
  ])('is sent again by ioredis, and answered by what the first sending left: %s', async (call, answer) => {
    expect(await loseAnswer('ioredis', call, server().url)).toEqual(answer);
  });
});
