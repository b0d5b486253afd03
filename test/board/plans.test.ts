import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Board } from '../../packages/board/src/create-board.ts';
import { createBoard } from '../../packages/board/src/create-board.ts';
import type { Mask } from '../../packages/board/src/show/mask.ts';
import { ALL, ask, refused } from './board-client.ts';

const charge = defineTask({ name: 'charge', run: async () => {} });
const mail = defineTask({ name: 'mail', run: async () => {} });

/** Hides the messages of one task only. */
const mask: Mask = ({ task, value }) => (task === 'charge' ? 'hidden' : value);

let board: Board;
let queue: ReturnType<typeof createQueue>;
beforeEach(async () => {
  const broker = createMemoryBroker();
  queue = createQueue({ broker });
  board = createBoard({ broker, mask, access: () => ALL });
  for (const task of [charge, mail]) {
    const { id } = await queue.submit(task, undefined, { delay: '1h' });
    await queue.fail(id, new Error('Jane Roe is bankrupt'));
  }
});

describe('the titles of a plan', () => {
  const titles = async (body: object): Promise<readonly string[]> =>
    (await ask(board, 'POST plans', { body })).groups.map(({ title }) => title);

  it('are masked as the task of the plan', async () => {
    expect(await titles({ task: 'charge' })).toEqual(['hidden']);
    expect(await titles({ task: 'mail', version: '1' })).toEqual([expect.stringContaining('Jane Roe')]);
  });

  it('are not shown where the mask of one task of the plan hides more than that of another', async () => {
    expect(await titles({ errorName: 'Error' })).toEqual(['(the tasks of the plan mask it differently)']);
  });
});

describe('a plan', () => {
  const plan = async () => (await ask(board, 'POST plans', { body: { errorName: 'Error' } })).id;
  const body = { kind: 'redrive', reason: 'the bank is back', perSecond: 1 };
  const apply = async (id: string) =>
    (await ask(board, 'POST plans/:id/apply', { params: { id }, body })).operation.id;

  it('is applied once, also where a button is pressed twice', async () => {
    const id = await plan();

    const [first, second] = await Promise.all([apply(id), apply(id)]);
    const third = await apply(id);

    expect([second, third]).toEqual([first, first]);
    expect(await queue.operations.list()).toHaveLength(1);
    expect((await ask(board, 'GET acts')).acts).toHaveLength(1);
  });

  it('cannot be applied as a discard after it was applied as a redrive', async () => {
    const id = await plan();
    await apply(id);

    const asked = { params: { id }, body: { ...body, kind: 'discard', perSecond: undefined } };

    expect(await refused(board, 'POST plans/:id/apply', asked)).toMatchObject({
      ...{ status: 410, code: 'PLAN_GONE', message: expect.stringContaining('redrive') },
    });
  });

  it('can be applied after that has failed', async () => {
    const id = await plan();
    const wrong = { params: { id }, body: { ...body, perSecond: -1 } };

    const { status } = await refused(board, 'POST plans/:id/apply', wrong);

    expect([status, await apply(id)]).toEqual([400, expect.any(String)]);
  });
});
