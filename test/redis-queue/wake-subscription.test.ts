import { createClient } from 'redis';
import { expect, it } from 'vitest';
import { linkClient } from '../../packages/redis-queue/src/driver/link-client.ts';
import { createKeys } from '../../packages/redis-queue/src/store/keys.ts';
import { WakeSubscription } from '../../packages/redis-queue/src/wake/wake-subscription.ts';
import { describeWithUser } from './limited-user.ts';

describeWithUser('a wait for work on Redis', (user) => {
  it('ends when its connection is dropped because another wait could not subscribe', async () => {
    const keys = createKeys('wake', 0);
    // All channels but that of the lane `b`; the watchdog's has a name of 36 characters.
    const channels = [keys.holdsChannel, keys.wakeOf('a'), `${keys.wakeOf('')}${'?'.repeat(36)}*`];
    await user().change('resetchannels', ...channels.map((channel) => `&${channel}`));
    const client = await createClient({ url: user().url }).connect();
    const store = { link: linkClient(client), keys, retention: ['-1', '0'] as const };
    const subscription = new WakeSubscription(store, { everyMs: 3_600_000, timeoutMs: 60_000 });
    const waiting = subscription.wait({ lanes: ['a'], timeoutMs: 3_600_000 });
    await new Promise((resolve) => setTimeout(resolve, 1_000));

    const refused = subscription.wait({ lanes: ['b'], timeoutMs: 3_600_000 });

    await expect(refused).rejects.toMatchObject({ code: 'MISSING_RIGHTS' });
    await waiting;
    subscription.close();
    await client.close();
  });
});
