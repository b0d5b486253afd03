import { InvalidOptionsError } from '@retry/core';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { ForgetFilter } from '@retry/worker';
import { createQueue, createWorker, defineTask, RunForgottenError } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import { describe, expect, it } from 'vitest';
import { settlementOf } from '../support/settle.ts';

const HOUR_MS = 3_600_000;
const LONG = 'x'.repeat(10_000);
const mail = defineTask({ name: 'mail', run: (_: unknown) => LONG });

/** A queue over runs that ended: `a` completed two hours ago, `b` completed and `c` was dropped now, `d` failed, `e` waits. */
async function openEnded() {
  const clock = createTestClock(Date.UTC(2026, 0, 1));
  const broker = createMemoryBroker({ clock });
  const end = async (id: string, type: 'complete' | 'drop' | 'fail', lane = 'mail@1'): Promise<void> => {
    await broker.submit([{ id, lane, payload: '{}' }]);
    const claim = { worker: 'w', requestId: id, limit: 1, lanes: new Map([[lane, 1]]), leaseMs: 60_000 };
    const { claimed, now } = await broker.exchange({ claim });
    await broker.exchange({ settle: claimed.map(({ run }) => settlementOf(run, { type, at: now })) });
  };
  await end('a', 'complete');
  await clock.advance(2 * HOUR_MS);
  await end('b', 'complete', 'mail@2');
  await end('c', 'drop', 'other@1');
  await end('d', 'fail');
  await broker.submit([{ id: 'e', lane: 'mail@1', payload: '{}' }]);
  const queue = createQueue({ broker, clock });
  const kept = async (): Promise<string> =>
    (await broker.get(['a', 'b', 'c', 'd', 'e'])).map((run) => run?.id ?? '').join('');
  return { queue, kept, end };
}

describe('queue.forget', () => {
  it.each<[ForgetFilter, forgotten: readonly string[]]>([
    [{ all: true }, ['a', 'b', 'c']],
    [{ ids: ['a', 'd', 'e', 'unknown'] }, ['a', 'd']],
    [{ olderThan: '1h' }, ['a']],
    [{ ids: ['a', 'b'], olderThan: '1h' }, ['a']],
    [{ task: 'mail' }, ['a', 'b']],
    [{ task: mail }, ['a']],
    [{ task: 'mail', version: '2' }, ['b']],
    [{ ids: ['a', 'b', 'c'], task: 'mail', version: '2' }, ['b']],
    [{ state: 'dropped' }, ['c']],
    [{ state: ['failed', 'dropped'] }, ['d', 'c']],
    [{ ids: ['a', 'd'], state: 'failed' }, ['d']],
    [{ all: true, limit: 2 }, ['a', 'b']],
  ])('deletes what %j selects, and returns its ids', async (filter, forgotten) => {
    const { queue, kept } = await openEnded();

    expect(await queue.forget({ ...filter, dryRun: true })).toEqual(forgotten);
    expect(await kept()).toBe('abcde');
    expect(await queue.forget(filter)).toEqual(forgotten);
    expect(await kept()).toBe([...'abcde'].filter((id) => !forgotten.includes(id)).join(''));
    expect(await queue.counts()).toMatchObject({ forgotten: forgotten.length, unbalanced: 0 });
  });

  it('deletes more runs than a page has', async () => {
    const { queue, end } = await openEnded();
    for (let index = 0; index < 1_001; index += 1) await end(`more-${index}`, 'drop', 'many@1');

    expect(await queue.forget({ task: 'many' })).toHaveLength(1_000);
  });

  it.each<[ForgetFilter | undefined, path: string]>([
    [{}, ''],
    [undefined, ''],
    [{ limit: 5 }, ''],
    [{ state: 'started' as 'failed' }, 'state'],
    [{ state: [] }, 'state'],
    [{ ids: [''] }, 'ids[0]'],
    [{ all: true, limit: 0 }, 'limit'],
    [{ all: true, olderThan: -1 }, 'olderThan'],
    [{ all: true, version: '1' }, 'task'],
    [{ all: true, before: 1 } as ForgetFilter, 'before'],
  ])('refuses %j, and deletes nothing', async (filter, path) => {
    const { queue, kept } = await openEnded();

    const refused = await queue.forget(filter as ForgetFilter).catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(InvalidOptionsError);
    expect(refused).toMatchObject({ problems: [{ path }] });
    expect(await kept()).toBe('abcde');
  });
});

describe('a run whose texts retention has deleted', () => {
  const open = async () => {
    const broker = createMemoryBroker({ keepCompleted: { bytes: 0 } });
    const queue = createQueue({ broker });
    const worker = createWorker({ broker, tasks: [mail] });
    const { id } = await queue.submit(mail, { text: LONG });
    await worker.start();
    await expect.poll(async () => (await queue.result(id))?.state).toBe('completed');
    await worker.stop();
    return { queue, id };
  };

  it('is shown without them, and says so', async () => {
    const { queue, id } = await open();

    const run = await queue.get(id);

    expect(run).toMatchObject({ state: 'completed', trimmed: ['payload', 'result'] });
    expect(run).not.toHaveProperty('payload');
    expect(run).not.toHaveProperty('result');
    expect(run).not.toHaveProperty('unreadable');
    expect(await queue.result(id)).toMatchObject({ state: 'completed', isResultForgotten: true });
  });

  it('has no result to wait for: the error says why, and what to do', async () => {
    const { queue, id } = await open();

    const refused = await queue.waitForResult(id).catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(RunForgottenError);
    expect(refused).toMatchObject({
      ...{ code: 'RUN_FORGOTTEN', id, state: 'completed' },
      message: expect.stringContaining('Submit with keepResult'),
    });
  });

  it('keeps the result that a caller waits for', async () => {
    const broker = createMemoryBroker({ keepCompleted: { bytes: 0 } });
    const queue = createQueue({ broker });
    const worker = createWorker({ broker, tasks: [mail] });
    await worker.start();

    expect(await queue.submitAndWait(mail, {})).toBe(LONG);
    await worker.stop();
  });

  it('is resubmitted with a payload only', async () => {
    const { queue, id } = await open();

    const refused = await queue.resubmit(id).catch((error: unknown) => error);

    expect(refused).toMatchObject({ code: 'INVALID_OPTIONS', problems: [{ path: 'payload' }] });
    expect(await queue.resubmit(id, { payload: { text: 'again' } })).toMatchObject({ isNew: true });
  });
});
