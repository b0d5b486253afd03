import { expect, expectTypeOf, it } from 'vitest';
import { linkClient } from '../../packages/redis-queue/src/driver/link-client.ts';
import type { NodeRedisClient } from '../../packages/redis-queue/src/driver/redis-client.ts';

const unused = (): never => {
  throw new Error('not needed');
};

it('a client of redis sets a timer only for what it cannot write immediately', async () => {
  const client = { isReady: false };
  const timeouts: (number | undefined)[] = [];
  const sendCommand: NodeRedisClient['sendCommand'] = async (_args, options) => {
    timeouts.push(options?.timeout);
  };
  const { send } = linkClient(Object.assign(client, { sendCommand, duplicate: unused }));

  await send('key', ['PING']);
  client.isReady = true;
  await send('key', ['PING']);
  client.isReady = false;
  await send('key', ['PING']);

  expect(timeouts).toEqual([undefined, 0, undefined]);
});

it('a client of redis fits also where its package knows no timeout of a command', () => {
  /** Of redis 5.0 to 5.5. */
  interface CommandOptions {
    readonly chainId?: symbol;
    readonly asap?: boolean;
    readonly abortSignal?: AbortSignal;
    readonly typeMapping?: object;
  }
  type Older = Omit<NodeRedisClient, 'sendCommand'> & {
    sendCommand(args: readonly (string | Buffer)[], options?: CommandOptions): Promise<unknown>;
  };

  expectTypeOf<Older>().toExtend<NodeRedisClient>();
});

it('a cluster of redis that could not send a command says so', async () => {
  // What the package rejects with: it has no message.
  class TimeoutError extends Error {}
  const sendCommand = () => Promise.reject(new TimeoutError());
  const { send } = linkClient({ slots: [], sendCommand, multi: unused, duplicate: unused });

  await expect(send('key', ['PING'])).rejects.toMatchObject({
    code: 'REDIS_UNREACHABLE',
    message: expect.stringContaining('this one was not sent'),
  });
});
