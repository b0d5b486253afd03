import { AsyncLocalStorage } from 'node:async_hooks';
import { createRedisBroker } from '@retry/redis-queue';
import { createClient } from 'redis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { linkClient } from '../../packages/redis-queue/src/driver/link-client.ts';
import type { Argument } from '../../packages/redis-queue/src/driver/redis-link.ts';
import { createKeys } from '../../packages/redis-queue/src/store/keys.ts';
import { WakeSubscription } from '../../packages/redis-queue/src/wake/wake-subscription.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import type { PrivateRedis } from '../support/servers/redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

const request = new AsyncLocalStorage<string>();

describeOnPrivateRedis('the store of the request that used a Redis broker first', () => {
  let server: PrivateRedis;
  beforeEach(async () => {
    server = await startPrivateRedis();
  });
  afterEach(() => server.stop());

  it('is not that of onError, which concerns all of them', async () => {
    const stores: (string | undefined)[] = [];
    let noteError = (): void => {};
    const failed = new Promise<void>((resolve) => {
      noteError = resolve;
    });
    const onError = (): void => {
      stores.push(request.getStore());
      noteError();
    };
    const broker = createRedisBroker({ url: server.url, onError });
    await request.run('first', () => broker.submit([{ id: 'a', lane: 'l', payload: '1' }]));

    await server.restart('SIGKILL');
    await failed;

    expect(new Set(stores)).toEqual(new Set([undefined]));
    await broker.close();
  });

  it('is neither that of the messages that wake others nor that of the watchdog', async () => {
    const client = await createClient({ url: server.url }).connect();
    const link = linkClient(client);
    const stores = new Map<unknown, string | undefined>();
    let noteWatched = (): void => {};
    const watched = new Promise<void>((resolve) => {
      noteWatched = resolve;
    });
    const send = (key: string, args: readonly Argument[]) => {
      stores.set(args[0], request.getStore());
      if (args[0] === 'PUBLISH') noteWatched();
      return link.send(key, args);
    };
    const listen: typeof link.listen = (onMessage, onBack) => {
      stores.set('listen', request.getStore());
      const note: typeof onMessage = (channel, message) => {
        stores.set('message', request.getStore());
        onMessage(channel, message);
      };
      return link.listen(note, onBack);
    };
    const keys = createKeys('contexts', 0);
    const store = { link: { ...link, send, listen }, keys, retention: ['-1', '0'] as const };
    const subscription = new WakeSubscription(store, { everyMs: 20, timeoutMs: 60_000 });

    const waiting = request.run('first', () => subscription.wait({ lanes: ['l'], timeoutMs: 60_000 }));
    await watched;
    await client.publish(keys.wakeOf('l'), '');
    await waiting;

    expect(stores.get('EVAL')).toBe('first');
    for (const shared of ['listen', 'message', 'PUBLISH']) expect(stores.get(shared)).toBeUndefined();
    subscription.close();
    await client.close();
  });
});
