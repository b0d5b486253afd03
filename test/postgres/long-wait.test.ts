import { expect, it } from 'vitest';
import { openDatabase } from '../../packages/postgres/src/driver/database.ts';
import { ClaimMemory } from '../../packages/postgres/src/record/claim-memory.ts';
import { openNotifications, WaitingNotice } from '../../packages/postgres/src/wake/notifications.ts';
import { WorkWaits } from '../../packages/postgres/src/wake/waits.ts';
import { passTime } from '../support/pass-time.ts';
import { describeTwoConnections } from './two-connections.ts';

describeTwoConnections('a wait for work that is longer than its announcement counts', (open) => {
  it('is announced until it ends', async () => {
    const { pool, schema } = open();
    const database = openDatabase(pool, schema.name);
    const notifications = openNotifications(pool, { schema: schema.name, listen: true });
    const noticeMs = 3_000;
    const waits = new WorkWaits(
      database,
      new ClaimMemory(),
      new WaitingNotice(database, notifications, 'work', noticeMs),
    );
    const waiting = waits.wait({ lanes: ['l'], timeoutMs: 60_000 });

    await passTime(noticeMs + 500);
    const { rows } = await pool.query(
      `select from ${schema.name}.waiter where until > ${schema.name}.now_ms()`,
    );

    waits.close();
    await waiting;
    await notifications.close();
    expect(rows).toHaveLength(1);
  });
});
