import { createMemoryBroker } from '@retry/inprocess/broker';
import { expect, it } from 'vitest';
import { createBoard } from '../../packages/board/src/create-board.ts';
import { settlementOf } from '../support/settle.ts';
import { ALL, ask } from './board-client.ts';

it('shows the latest runs of a group of thousands first, over its pages', async () => {
  const broker = createMemoryBroker();
  const board = createBoard({ broker, access: () => ALL });
  const ids = Array.from({ length: 2_500 }, (_, index) => `run-${(index * 7) % 2_500}`);
  await broker.submit(ids.map((id) => ({ id, lane: 'charge@1', payload: '1' })));
  const claim = {
    worker: 'w',
    requestId: 'r',
    limit: ids.length,
    lanes: new Map([['charge@1', ids.length]]),
  };
  const { claimed, now } = await broker.exchange({ claim: { ...claim, leaseMs: 60_000 } });
  const group = { id: 'bank', title: 'the bank is closed' };
  const settle = claimed.map(({ run }) => ({
    ...settlementOf(run, { type: 'fail', at: now + Number(run.id.slice(4)) }),
    group,
  }));
  await broker.exchange({ settle });
  const params = { lane: 'charge@1', id: 'bank' };

  const first = await ask(board, 'GET groups/:lane/:id', { params, query: '?limit=3' });
  const second = await ask(board, 'GET groups/:lane/:id', { params, query: `?limit=3&after=${first.next}` });

  const shown = [...first.runs, ...second.runs].map(({ id }) => id);
  expect(shown).toEqual([2_499, 2_498, 2_497, 2_496, 2_495, 2_494].map((number) => `run-${number}`));
});
