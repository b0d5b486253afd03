import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import { expect, it } from 'vitest';
import { createBoard } from '../../packages/board/src/create-board.ts';
import { ALL, ask } from './board-client.ts';

const report = defineTask({ name: 'report', run: (_: { readonly secret: string }) => {} });
const access = () => ({ ...ALL, by: 'ada' });

it('lists schedules without their payloads, and removes one', async () => {
  const broker = createMemoryBroker();
  const queue = createQueue({ broker });
  const board = createBoard({ broker, access });
  const payload = { secret: 'x' };
  await queue.schedule('hourly', { task: report, payload, every: '1h' });
  await queue.schedule('night/ly', { task: report, payload, cron: '0 2 1 1 *', timeZone: 'Europe/Berlin' });

  const { schedules, next } = await ask(board, 'GET schedules', { query: '?limit=1' });
  const rest = await ask(board, 'GET schedules', { query: `?after=${next}` });
  const params = { id: 'night/ly' };
  const removed = await ask(board, 'POST schedules/:id/remove', { params, body: { reason: 'moved' } });
  const gone = await ask(board, 'POST schedules/:id/remove', { params });

  expect([schedules, rest.schedules].map((page) => page.map(({ id }) => id))).toEqual([
    ['hourly'],
    ['night/ly'],
  ]);
  expect(JSON.stringify([schedules, rest])).not.toContain('secret');
  expect([removed, gone]).toEqual([{ answer: 'removed' }, { answer: 'gone' }]);
  expect((await ask(board, 'GET acts')).acts).toMatchObject([
    { kind: 'remove-schedule', on: 'schedule', target: 'night/ly', answer: 'gone', by: 'ada' },
    { kind: 'remove-schedule', target: 'night/ly', answer: 'removed', reason: 'moved' },
  ]);
  await board.close();
});
