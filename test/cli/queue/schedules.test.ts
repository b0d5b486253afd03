import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import { describe, expect, it } from 'vitest';
import { schemaErrors } from '../output-schema.ts';
import { run } from '../run-in-memory.ts';

const clock = createTestClock(Date.UTC(2026, 0, 1, 12));
const report = defineTask({ name: 'report', version: '2', run: (_: string) => {} });

async function openQueue() {
  const broker = createMemoryBroker({ clock });
  const queue = createQueue({ broker, clock });
  await queue.schedule('nightly', {
    ...{ task: report, payload: 'sales', cron: '30 2 * * MON-FRI', timeZone: 'Europe/Berlin' },
  });
  await queue.schedule('often', { task: report, payload: 'stock', every: '90m', missed: { all: 3 } });
  return broker;
}

describe('retry schedules', () => {
  it('lists schedules by when they fire next', async () => {
    const { out, exitCode } = await run(['schedules', 'ls'], { broker: await openQueue() });

    expect(exitCode).toBe(0);
    expect(out).toBe(
      [
        'schedule  task      next                  last  when',
        'often     report@2  2026-01-01 13:30:00Z  -     every 1.5h',
        'nightly   report@2  2026-01-02 01:30:00Z  -     30 2 * * MON-FRI Europe/Berlin',
        '',
      ].join('\n'),
    );
  });

  it('lists page by page', async () => {
    const broker = await openQueue();

    const { out } = await run(['schedules', 'ls', '--limit', '1', '--json'], { broker });
    const { schedules, next } = JSON.parse(out);
    const rest = await run(['schedules', 'ls', '--after', next, '--json'], { broker });

    expect(schemaErrors('schedules-ls', out)).toEqual([]);
    expect(schedules).toEqual([
      {
        ...{
          id: 'often',
          task: 'report',
          version: '2',
          payload: 'stock',
          everyMs: 5_400_000,
          missed: { all: 3 },
        },
        ...{ createdAt: '2026-01-01T12:00:00.000Z', nextAt: '2026-01-01T13:30:00.000Z' },
      },
    ]);
    expect(JSON.parse(rest.out)).toMatchObject({ schedules: [{ id: 'nightly' }] });
  });

  it('removes schedules, and says which were not there', async () => {
    const broker = await openQueue();

    const removed = await run(['schedules', 'rm', 'often', 'none', '--json'], { broker });
    const { out } = await run(['schedules', 'rm', 'nightly'], { broker });

    expect(schemaErrors('schedules-rm', removed.out)).toEqual([]);
    expect([removed.exitCode, JSON.parse(removed.out).schedules]).toEqual([
      1,
      [
        { id: 'often', answer: 'removed' },
        { id: 'none', answer: 'gone' },
      ],
    ]);
    expect(out).toBe('nightly  removed\n');
    expect((await run(['schedules', 'ls'], { broker })).out).toBe('There are no schedules.\n');
  });
});
