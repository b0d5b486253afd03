import { expect, it } from 'vitest';
import { linkClient } from '../../packages/redis-queue/src/driver/link-client.ts';
import type { NodeRedisClient } from '../../packages/redis-queue/src/driver/redis-client.ts';

it('a client of redis sets a timer only for what it cannot write immediately', async () => {
  const client = { isReady: false };
  const timeouts: (number | undefined)[] = [];
  const sendCommand: NodeRedisClient['sendCommand'] = async (_args, options) => {
    timeouts.push(options?.timeout);
  };
  const duplicate = (): never => {
    throw new Error('not needed');
  };
  const { send } = linkClient(Object.assign(client, { sendCommand, duplicate }));

  await send('key', ['PING']);
  client.isReady = true;
  await send('key', ['PING']);
  client.isReady = false;
  await send('key', ['PING']);

  expect(timeouts).toEqual([undefined, 0, undefined]);
});
