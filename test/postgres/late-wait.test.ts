import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../packages/postgres/src/driver/database.ts';
import { openDatabase } from '../../packages/postgres/src/driver/database.ts';
import { ClaimMemory } from '../../packages/postgres/src/record/claim-memory.ts';
import { openNotifications, WaitingNotice } from '../../packages/postgres/src/wake/notifications.ts';
import { WorkWaits } from '../../packages/postgres/src/wake/waits.ts';
import { describeTwoConnections } from './two-connections.ts';

const TIMEOUT_MS = 900;

describeTwoConnections('a wait for work whose process is busy at its end', (open) => {
  it('ends without a timer of a negative delay', async () => {
    const { pool, schema } = open();
    const database = openDatabase(pool, schema.name);
    const notifications = openNotifications(pool, { schema: schema.name, listen: true });
    const call: Database['call'] = async (...request) => {
      const reply = await database.call(...request);
      // The continuation of the poll comes before the timer of the wait, which is due by then.
      if (request[0] === 'poll_lanes') block(TIMEOUT_MS + 50);
      return reply;
    };
    const busy = { ...database, call };
    const notice = new WaitingNotice(database, notifications, 'work', 1_000);
    const waits = new WorkWaits(busy, new ClaimMemory(), notice);

    const waited = waits.wait({ lanes: ['l'], timeoutMs: TIMEOUT_MS });

    // The setup of all tests throws where a timer gets a negative delay.
    await expect(waited).resolves.toBeUndefined();
    await notifications.close();
  });
});

function block(ms: number): void {
  const endAt = performance.now() + ms;
  while (performance.now() < endAt);
}

describe('a wait for work whose poll is not answered, as by a connection that died without a word', () => {
  afterEach(() => void vi.useRealTimers());

  it('ends after its timeout', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const silent = { call: () => new Promise<never>(() => {}) } as unknown as Database;
    const known = { start: async () => 'known', stop: () => {} } as unknown as WaitingNotice;
    const waits = new WorkWaits(silent, new ClaimMemory(), known);
    let hasEnded = false;

    void waits.wait({ lanes: ['l'], timeoutMs: 5_000 }).then(() => {
      hasEnded = true;
    });
    await vi.advanceTimersByTimeAsync(4_999);
    const before = hasEnded;
    await vi.advanceTimersByTimeAsync(1);

    expect([before, hasEnded]).toEqual([false, true]);
  });
});
