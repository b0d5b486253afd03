import type { Broker, SubmitAnswer } from '@retry/core/broker';
import { cancelRuns } from '@retry/core/broker/kit';
import { createClient } from 'redis';
import { expect, it } from 'vitest';
import { auditEachCall } from '../support/broker-checked.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';

const submit = (broker: Broker, keys: readonly string[], name: string, onConflict: 'keep' | 'replace') =>
  broker.submit(
    keys.map((key) => ({
      ...{ id: `{${key}}${name}`, lane: 'l', payload: '{}' },
      unique: { key, until: 'ended', onConflict },
    })),
  );

describeOnRedis('unique submissions', (server) => {
  it('keep to their keys over four partitions, where each run is beside its key', async () => {
    const harness = await openRedisHarness(server().url, { partitions: 4 });
    const broker = auditEachCall(harness.broker);
    const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`);

    expect(await submit(broker, keys, 'a', 'keep')).toEqual(keys.map(() => 'created'));
    expect(await submit(broker, keys, 'b', 'keep')).toEqual(
      keys.map((key): SubmitAnswer => ({ type: 'kept', id: `{${key}}a` })),
    );
    expect(await submit(broker, keys, 'c', 'replace')).toEqual(
      keys.map((key): SubmitAnswer => ({ type: 'replaced', id: `{${key}}a` })),
    );

    const kept = await broker.get(keys.map((key) => `{${key}}c`));
    expect(kept.map((run) => run?.state)).toEqual(keys.map(() => 'submitted'));
    expect(await broker.audit()).toMatchObject({ submitted: 40, ended: { cancelled: 40 } });
    await harness.close();
  });

  it('forget keys that are free, and do not let a lane grow that no worker attends', async () => {
    const harness = await openRedisHarness(server().url, { keepCompleted: { count: 10 } });
    const client = await createClient({ url: server().url }).connect();
    for (let index = 0; index < 400; index += 1) {
      await submit(harness.broker, ['same'], `${index}`, 'replace');
      await submit(harness.broker, [`one ${index}`], 'a', 'keep');
      await cancelRuns(harness.broker, [`{one ${index}}a`]);
    }

    const keys = await client.hLen(`{${harness.prefix}:0}:unique-keys`);
    const waiting = await client.lLen(`{${harness.prefix}:0}:lane:l`);

    // Which keys are looked at is random: of 800 that were kept, hardly ten.
    expect(keys).toBeLessThan(60);
    expect(waiting).toBeLessThan(1_000);
    await client.close();
    await harness.close();
  });

  it('change nothing where another program uses the key of the keys', async () => {
    const harness = await openRedisHarness(server().url);
    const client = await createClient({ url: server().url }).connect();
    await client.set(`{${harness.prefix}:0}:unique-keys`, 'x');

    await expect(submit(harness.broker, ['k'], 'a', 'keep')).rejects.toThrow('WRONGTYPE');

    expect(await harness.broker.audit()).toMatchObject({ created: 0, unbalanced: 0 });
    await client.close();
    await harness.close();
  });
});
