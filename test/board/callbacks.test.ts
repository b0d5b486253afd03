import type { BoardOptions } from '@retry/board';
import { createBoard } from '@retry/board';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ALL, ask } from './board-client.ts';

const charge = defineTask({ name: 'charge', run: async (_: string) => {} });

/** A board whose callbacks reject, and what it reports. */
function open(options: Omit<BoardOptions, 'broker'>) {
  const broker = createMemoryBroker();
  const errors: (readonly [doing: string, error: unknown])[] = [];
  const onError = (error: unknown, doing: string) => errors.push([doing, error]);
  return {
    errors,
    queue: createQueue({ broker }),
    board: createBoard({ broker, access: () => ALL, onError, ...options }),
  };
}

/** Lets rejections be seen that nobody handles: they would fail the test. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a callback of a board that answers later', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is reported when onAct rejects', async () => {
    const away = new Error('the audit database is away');
    const { board, errors } = open({ onAct: () => Promise.reject(away) });

    await ask(board, 'POST runs/:id/cancel', { params: { id: 'none' } });
    await settle();

    expect(errors).toEqual([['calling onAct', away]]);
  });

  it('is warned of when onError rejects', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { board } = open({
      access: () => Promise.reject(new Error('no session')),
      onError: () => Promise.reject(new Error('the log is away')),
    });

    await ask(board, 'GET rights');
    await settle();

    expect(warn.mock.calls).toMatchObject([[expect.stringContaining('the log is away'), {}]]);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('no mask'))],
    ['resolves', async () => 'shown'],
  ])('shows nothing, and is reported once for each value, when mask %s', async (_, mask) => {
    const { board, errors, queue } = open({ mask });
    const { id } = await queue.submit(charge, 'secret', { delay: '1h' });

    const { run } = await ask(board, 'GET runs/:id', { params: { id } });
    await settle();

    expect(run.payload?.text).toBe('"(the mask of the board failed)"');
    expect(errors).toEqual([
      ['calling mask', new TypeError('mask must answer at once, and returned a promise')],
    ]);
  });
});

describe('an operation that a board carries on', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is reported to onError when a step fails, and not warned of as an event that nobody can listen to', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const away = new Error('the server is away');
    const memory = createMemoryBroker();
    const errors: (readonly [doing: string, error: unknown])[] = [];
    const board = createBoard({
      // A step is the one change that notes are written with.
      broker: {
        ...memory,
        change: (changes, options) => (options ? Promise.reject(away) : memory.change(changes)),
      },
      access: () => ALL,
      onError: (error, doing) => errors.push([doing, error]),
    });
    const queue = createQueue({ broker: memory });
    const { id: run } = await queue.submit(charge, 'secret');
    await queue.fail(run, away);

    const { id } = await ask(board, 'POST plans', { body: { ids: [run] } });
    await ask(board, 'POST plans/:id/apply', {
      params: { id },
      body: { kind: 'redrive', reason: 'it is back' },
    });
    await settle();

    expect(errors).toEqual([['carrying an operation on', away]]);
    expect(warn).not.toHaveBeenCalled();
    await memory.close();
  });
});
