import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { expect, it } from 'vitest';
import { createBoard } from '../../packages/board/src/create-board.ts';
import { settlementOf } from '../support/settle.ts';
import { ALL, ask } from './board-client.ts';

/** A group of dead letters, of which the one with the highest number has ended last. */
async function openGroup(count: number) {
  const broker = createMemoryBroker();
  const ids = Array.from({ length: count }, (_, index) => `run-${(index * 7) % count}`);
  await broker.submit(ids.map((id) => ({ id, lane: 'charge@1', payload: '1' })));
  const claim = { worker: 'w', requestId: 'r', limit: count, lanes: new Map([['charge@1', count]]) };
  const { claimed, now } = await broker.exchange({ claim: { ...claim, leaseMs: 60_000 } });
  const group = { id: 'bank', title: 'the bank is closed' };
  const settle = claimed.map(({ run }) => ({
    ...settlementOf(run, { type: 'fail', at: now + Number(run.id.slice(4)) }),
    group,
  }));
  await broker.exchange({ settle });
  let lists = 0;
  const list: Broker['list'] = (query) => {
    lists += 1;
    return broker.list(query);
  };
  const board = createBoard({ broker: { ...broker, list }, access: () => ALL });
  const read = (query: string) =>
    ask(board, 'GET groups/:lane/:id', { params: { lane: 'charge@1', id: 'bank' }, query });
  return { read, lists: () => lists };
}

it('shows the latest runs of a group of a thousand first, over its pages', async () => {
  const { read } = await openGroup(1_000);

  const first = await read('?limit=3');
  const second = await read(`?limit=3&after=${first.next}`);

  const shown = [...first.runs, ...second.runs].map(({ id }) => id);
  expect(shown).toEqual([999, 998, 997, 996, 995, 994].map((number) => `run-${number}`));
});

it('lists two pages of a group of thousands, and each run once over the pages that are shown', async () => {
  const { read, lists } = await openGroup(2_500);

  const first = await read('?limit=600');
  const second = await read(`?limit=600&after=${first.next}`);

  expect(lists()).toBe(4);
  expect(new Set([...first.runs, ...second.runs].map(({ id }) => id)).size).toBe(1_200);
  expect(first.group?.trend).toMatchObject({ searched: 1_000, isComplete: false });
});
