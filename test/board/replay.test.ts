import { network } from '@retry/core/errors';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ReplayAnswer, Rights } from '../../packages/board/src/api.ts';
import type { Board } from '../../packages/board/src/create-board.ts';
import { createBoard } from '../../packages/board/src/create-board.ts';
import { ALL, ask, refused } from './board-client.ts';

const login = defineTask({
  name: 'login',
  retry: { maxAttempts: 1, retryOn: [{ message: /^(.+)+\d$/ }] },
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
    await queue.submit(login, message, { retry: { maxAttempts: 1 } }); // its worker matches no pattern
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

  it('takes text, globs and the lists of @retry/core', async () => {
    expect(await retried({ message: { glob: 'login*' } }, ...network)).toBe(1);
  });

  it('matches what the mask leaves of messages, so that it does not reveal the rest', async () => {
    expect(await retried({ message: 'login failed' })).toBe(1);
    expect(await retried({ message: 'password=h' })).toBe(0);
    expect(await retried({ message: 'hunter2' })).toBe(0);
  });
});

describe('a replay for a visitor who may unmask', () => {
  it('matches messages as they are stored', async () => {
    await fail('login failed password=hunter2');

    expect(await retried({ message: { glob: '*hunter?' } })).toBe(0);
    expect(await retried({ message: { glob: '*hunter*' } })).toBe(1);
  });

  it('refuses a regular expression, which could block the process of the board', async () => {
    const policy = body({ message: { pattern: '^(.+)+\\d$' } });

    expect(await refused(board, 'POST replay', policy)).toMatchObject({
      ...{ status: 400, code: 'INVALID_OPTIONS' },
      problems: [{ path: 'retryOn[0].message', cure: expect.stringContaining('glob') }],
    });
  });

  it('gives up where a pattern of a task takes for ever, and says so', async () => {
    await fail('x'.repeat(29));

    const given = { body: { policy: { retryOn: 'nothing' }, lane: login.lane } };
    expect(await refused(board, 'POST replay', given)).toMatchObject({
      ...{ status: 400, code: 'INVALID_OPTIONS' },
      problems: [{ path: 'policy', message: expect.stringContaining('takes too long') }],
    });
  });
});
