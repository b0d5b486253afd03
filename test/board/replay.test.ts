import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ReplayAnswer, Rights } from '../../packages/board/src/api.ts';
import type { Board } from '../../packages/board/src/create-board.ts';
import { createBoard } from '../../packages/board/src/create-board.ts';
import { ALL, ask, refused } from './board-client.ts';

const login = defineTask({
  name: 'login',
  retry: { maxAttempts: 1, retryOn: [{ message: /^login/ }] },
  run: (message: string) => Promise.reject(new Error(message)),
});

let granted: Partial<Rights>;
let board: Board;
let fail: (message: string) => Promise<void>;
beforeEach(() => {
  const broker = createMemoryBroker();
  const queue = createQueue({ broker });
  granted = ALL;
  board = createBoard({ broker, tasks: [login], access: () => granted });
  fail = async (message) => {
    await queue.submit(login, message);
    const worker = createWorker({ broker, tasks: [login], signals: [] });
    const failed = new Promise((resolve) => worker.on('failed', resolve));
    worker.start();
    await failed;
    await worker.stop();
  };
});

/** Replays a policy that retries these errors. */
function body(...retryOn: readonly unknown[]) {
  return { body: { policy: { maxAttempts: 9, retryOn } } };
}

async function retried(...retryOn: readonly unknown[]): Promise<ReplayAnswer['summary']['retried']> {
  return (await ask(board, 'POST replay', body(...retryOn))).summary.retried;
}

describe('a replay for a visitor who may not unmask', () => {
  beforeEach(async () => {
    granted = { read: true };
    await fail('login failed password=hunter2');
  });

  it.each([
    ['retryOn', { retryOn: [{ message: { pattern: 'x' } }] }],
    ['stopOn', { stopOn: [{ status: 503 }, { message: { pattern: 'x' } }] }],
    ['a cause', { retryOn: [{ cause: { cause: { message: { pattern: 'x' } } } }] }],
  ])('refuses a pattern in %s, and says what to do', async (_, policy) => {
    expect(await refused(board, 'POST replay', { body: { policy } })).toMatchObject({
      ...{ status: 403, code: 'FORBIDDEN', right: 'unmask' },
      message: expect.stringContaining('text'),
    });
  });

  it('takes the patterns that the tasks of the board and the lists of @retry/core have', async () => {
    const network = { message: { pattern: '^Network connection lost' } };

    expect(await retried({ message: { pattern: '^login' } }, network)).toBe(1);
  });

  it('matches what the mask leaves of messages, so that it does not reveal the rest', async () => {
    expect(await retried({ message: 'login failed' })).toBe(1);
    expect(await retried({ message: 'password=h' })).toBe(0);
    expect(await retried({ message: 'hunter2' })).toBe(0);
  });
});

describe('a replay for a visitor who may unmask', () => {
  it('matches patterns, on messages as they are stored', async () => {
    await fail('login failed password=hunter2');

    expect(await retried({ message: { pattern: 'hunter\\d' } })).toBe(1);
  });

  it('gives up a pattern that takes for ever, and says so', async () => {
    await fail('x'.repeat(29));

    expect(await refused(board, 'POST replay', body({ message: { pattern: '^(.+)+\\d$' } }))).toMatchObject({
      ...{ status: 400, code: 'INVALID_OPTIONS' },
      problems: [{ path: 'policy', message: expect.stringContaining('longer than 1 s') }],
    });
  });
});
