import { createBoard } from '@retry/board';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Board } from '../../packages/board/src/create-board.ts';
import { inTurns } from '../../packages/board/src/routes/replay/in-turns.ts';
import { processorMs } from '../support/processor-time.ts';
import { refused, send } from './board-client.ts';

let board: Board;
let by: string | undefined;
beforeEach(() => {
  by = 'ada';
  board = createBoard({
    broker: createMemoryBroker(),
    access: () => ({ read: true, edit: true, ...(by !== undefined && { by }) }),
  });
});
afterEach(() => board.close());

const rules = (count: number) => Array.from({ length: count }, (_, code) => ({ code: `E${code}` }));
const replayOf = (policy: unknown) => ({ body: { policy } });

describe('what a visitor sends', () => {
  it('is at most 64 KiB, but for a payload', async () => {
    const large = { policy: {}, padding: 'x'.repeat(70_000) };
    const payload = { payload: 'x'.repeat(70_000), reason: 'a test' };

    expect(await refused(board, 'POST replay', { body: large })).toMatchObject({
      ...{ status: 413, code: 'BODY_TOO_LARGE' },
      message: 'the body of the request is larger than 64 KiB. Send less.',
    });
    const resubmitted = await send(board, 'POST runs/:id/resubmit', {
      params: { id: 'none' },
      body: payload,
    });
    expect(resubmitted.status).not.toBe(413);
  });

  it('is a policy of at most 200 rules', async () => {
    const policy = { maxAttempts: 3, retryOn: rules(150), stopOn: rules(51) };

    expect(await refused(board, 'POST replay', replayOf(policy))).toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining('policy has more than 200 rules'),
    });
    expect((await send(board, 'POST replay', replayOf({ ...policy, stopOn: rules(50) }))).status).toBe(200);
  });

  it('is replayed one after the other, and refused where eight wait', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => send(board, 'POST replay', replayOf({ maxAttempts: 3 }))),
    );

    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(8);
    expect(statuses.filter((status) => status === 429)).toHaveLength(22);
    expect((await send(board, 'POST replay', replayOf({ maxAttempts: 3 }))).status).toBe(200);
  });
});

describe('streams', () => {
  const open = () => send(board, 'GET events', { query: '?topic=overview' });

  it('of one visitor are at most 20, until one is closed', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, open));

    expect(await refused(board, 'GET events')).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' });
    by = 'grace';
    expect((await open()).status).toBe(200);
    by = 'ada';
    await streams[0]?.body?.cancel();
    expect((await open()).status).toBe(200);
  });

  it('of all visitors are at most 200', async () => {
    by = undefined;
    const streams = await Promise.all(Array.from({ length: 201 }, open));

    expect(streams.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

describe('work in turns', () => {
  const busy = (ms: number) => () => {
    const until = processorMs() + ms;
    let now = processorMs();
    while (now < until) now = processorMs();
    return now;
  };

  it('lets timers run between them', async () => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);

    const results = await inTurns(Array(8).fill(0), { budgetMs: 60_000, call: busy(30) });
    clearInterval(timer);

    expect(results).toHaveLength(8);
    expect(ticks).toBeGreaterThanOrEqual(4);
  });

  it('ends where all together, or one alone, take too long', async () => {
    expect(await inTurns(Array(10).fill(0), { budgetMs: 60, call: busy(30) })).toBeUndefined();
    expect(await inTurns([0], { budgetMs: 60, call: busy(60_000) })).toBeUndefined();
  });

  it('does not end because other processes had the processor', async () => {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    const idle = (ms: number) => {
      Atomics.wait(cell, 0, 0, ms);
      return ms;
    };

    expect(await inTurns([1, 500, 2, 300], { budgetMs: 200, call: idle })).toEqual([1, 500, 2, 300]);
  });
});
