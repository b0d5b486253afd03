import { createMemoryBroker } from '@retry/inprocess/broker';
import { describe, expect, it } from 'vitest';

describe('createMemoryBroker', () => {
  it('is ready immediately', async () => {
    const broker = createMemoryBroker();

    await expect(broker.ready?.()).resolves.toBeUndefined();
  });

  it('is not ready after close', async () => {
    const broker = createMemoryBroker();

    await broker.close();

    await expect(broker.ready?.()).rejects.toMatchObject({ code: 'BROKER_CLOSED' });
  });

  it.each(['clock', 'keepCompleted', 'keepKeys'])('accepts undefined for %s', async (option) => {
    const broker = createMemoryBroker({ [option]: undefined });

    expect(await broker.audit()).toMatchObject({ unbalanced: 0 });
  });
});
