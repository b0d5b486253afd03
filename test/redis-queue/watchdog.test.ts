import { createClient } from 'redis';
import { expect, it } from 'vitest';
import { linkClient } from '../../packages/redis-queue/src/driver/link-client.ts';
import { createKeys } from '../../packages/redis-queue/src/store/keys.ts';
import { WakeSubscription } from '../../packages/redis-queue/src/wake/wake-subscription.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { openProxy } from '../support/tcp-proxy.ts';

/** A message of its own arrives in that time, also on a busy machine. */
const WATCHDOG = { everyMs: 50, timeoutMs: 1_500 };

describeOnPrivateRedis('the watchdog', () => {
  it('replaces a connection that receives nothing any more, and ends the waits', async () => {
    const server = await startPrivateRedis();
    const proxy = await openProxy(server.port);
    const near = await createClient({ url: server.url }).connect();
    const far = createClient({ url: `redis://127.0.0.1:${proxy.port}` });
    // Commands go to the server directly, messages through the proxy that fails.
    const link = { ...linkClient(near), listen: linkClient(far).listen };
    const keys = createKeys('watchdog', 0);
    const subscription = new WakeSubscription({ link, keys, retention: ['-1', '0'] as const }, WATCHDOG);
    const early = subscription.wait({ lanes: ['l'], timeoutMs: 150 });
    await early;

    proxy.goDeaf();
    await subscription.wait({ lanes: ['l'], timeoutMs: 60_000 });
    const again = subscription.wait({ lanes: ['l'], timeoutMs: 60_000 });
    await rest(2 * WATCHDOG.everyMs + WATCHDOG.timeoutMs);
    await near.publish(keys.wakeOf('l'), '');
    await again;

    expect(proxy.connections()).toBe(2);
    await subscription.close();
    await near.close();
    await proxy.close();
    await server.stop();
  });

  it('publishes once while the server does not answer, and again when it does', async () => {
    const server = await startPrivateRedis();
    const client = await createClient({ url: server.url }).connect();
    const link = linkClient(client);
    let asked = 0;
    const send: typeof link.send = (key, args) => {
      if (args[0] === 'PUBLISH') asked += 1;
      return link.send(key, args);
    };
    const store = {
      link: { ...link, send },
      keys: createKeys('watchdog', 0),
      isHome: true,
      retention: ['-1', '0'] as const,
    };
    const subscription = new WakeSubscription(store, { everyMs: 20, timeoutMs: 1_000 });
    const waiting = subscription.wait({ lanes: ['l'], timeoutMs: 60_000 });
    while (asked === 0) await rest(1);

    process.kill(server.pid(), 'SIGSTOP');
    const before = asked;
    await rest(400);
    const during = asked;
    process.kill(server.pid(), 'SIGCONT');
    while (asked < during + 2) await rest(1);

    expect(during - before).toBeLessThanOrEqual(1);
    subscription.close();
    await waiting;
    await client.close();
    await server.stop();
  });

  it('watches over waits that are shorter than its interval, and ends some time after the last', async () => {
    const server = await startPrivateRedis();
    const client = await createClient({ url: server.url }).connect();
    const link = linkClient(client);
    let published = 0;
    const send: typeof link.send = (key, args) => {
      if (args[0] === 'PUBLISH') published += 1;
      return link.send(key, args);
    };
    const store = {
      link: { ...link, send },
      keys: createKeys('watchdog', 0),
      isHome: true,
      retention: ['-1', '0'] as const,
    };
    const subscription = new WakeSubscription(store, { everyMs: 200, timeoutMs: 100 });

    while (published < 2) await subscription.wait({ lanes: ['l'], timeoutMs: 50 });
    await rest(1_000);
    const soonAfter = published;
    await rest(1_000);

    expect(published).toBe(soonAfter);
    subscription.close();
    await client.close();
    await server.stop();
  });
});

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
