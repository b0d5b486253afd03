import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Rights, SearchAnswer } from '../../packages/board/src/api.ts';
import { createBoard } from '../../packages/board/src/create-board.ts';
import { ROUTE_NAMES } from '../../packages/board/src/routes/routes.ts';
import { ALL, ask, refused } from './board-client.ts';

const pay = defineTask({ name: 'pay', run: async (_: object) => {} });
const mail = defineTask({ name: 'mail', run: async () => {} });

const MASKED = { ...ALL, unmask: false };
const VISITORS: readonly (readonly [who: string, rights: Rights])[] = [
  ['who may unmask', ALL],
  ['who may not', MASKED],
];

/** A board over a queue of its own, and what its visitors find. */
function open() {
  const broker = createMemoryBroker();
  let rights: Rights = ALL;
  const board = createBoard({ broker, access: () => rights });
  const asked = (query: Readonly<Record<string, string>>) => ({ query: `?${new URLSearchParams(query)}` });
  return {
    queue: createQueue({ broker }),
    search: (visitor: Rights, query: Readonly<Record<string, string>>): Promise<SearchAnswer> => {
      rights = visitor;
      return ask(board, 'GET search', asked(query));
    },
    refusal: (visitor: Rights, query: Readonly<Record<string, string>>) => {
      rights = visitor;
      return refused(board, 'GET search', asked(query));
    },
  };
}

const idsOf = ({ runs }: SearchAnswer): readonly string[] => runs.map(({ id }) => id);

describe('a search of a visitor who may not unmask', () => {
  it('answers the same whether what the mask hides has the text or not', async () => {
    const { queue, search } = open();
    await queue.submit(pay, { order: 7, cardToken: 'tok-4f9a' });
    await queue.submitMany(
      pay,
      [1, 2, 3, 4, 5].map((order) => ({ order })),
    );
    const guess = (text: string) => search(MASKED, { text, limit: '1' });

    expect(await guess('"cardToken":"tok-4')).toEqual(await guess('"cardToken":"tok-5'));
    expect(await guess('tok-4f9a')).toMatchObject({ runs: [], searched: 6, isComplete: true });
  });

  it('finds each run whose shown text has it once, page by page', async () => {
    const { queue, search } = open();
    const payloads = Array.from({ length: 1_200 }, (_, order) => ({
      ...{ order, word: order % 40 < 3 ? 'needle' : 'hay' },
    }));
    const runs = await queue.submitMany(pay, payloads);
    const pages: SearchAnswer[] = [];
    do {
      const after = pages.at(-1)?.next;
      pages.push(await search(MASKED, { text: 'NEEDLE', limit: '7', ...(after !== undefined && { after }) }));
    } while (pages.at(-1)?.next !== undefined);

    expect(pages.every((page) => page.runs.length <= 7)).toBe(true);
    expect(pages.reduce((sum, { searched }) => sum + searched, 0)).toBe(1_200);
    expect(pages.flatMap(idsOf).sort()).toEqual(
      runs
        .filter((_, order) => order % 40 < 3)
        .map(({ id }) => id)
        .sort(),
    );
  });
});

describe.each(VISITORS)('a search of a visitor %s', (_, visitor) => {
  it.each([
    ['text', { text: '' }],
    ['text', { text: 'x'.repeat(513) }],
    ['limit', { text: 'x', limit: '1001' }],
    ['limit', { text: 'x', limit: 'many' }],
    ['state', { text: 'x', state: 'none' }],
  ])('refuses a wrong %s', async (path, query) => {
    expect(await open().refusal(visitor, query)).toMatchObject({ status: 400, problems: [{ path }] });
  });

  it('finds text with blanks around it', async () => {
    const { queue, search } = open();
    const { id } = await queue.submit(pay, { order: 4711 });

    expect(idsOf(await search(visitor, { text: ' 4711\n' }))).toEqual([id]);
  });

  describe('of more runs than one page looks at', () => {
    const { queue, search } = open();
    let id: string;
    beforeAll(async () => {
      const payloads = Array.from({ length: 10_300 }, (_, order) => ({ order }));
      const runs = await queue.submitMany(pay, payloads);
      const first = idsOf(await search(ALL, { limit: '1' }))[0];
      id = [runs[0]?.id, runs.at(-1)?.id].find((each) => each !== first) ?? ''; // the last one that is read
      await queue.submit(mail, undefined);
    });

    it('finds a run by its id on the first page, once', async () => {
      expect(idsOf(await search(visitor, { text: ` ${id}` }))).toEqual([id]);
      expect(
        idsOf(await search(visitor, { text: id, task: 'pay', version: '1', state: 'submitted' })),
      ).toEqual([id]);
    });

    it.each([
      { task: 'mail' },
      { task: 'pay', version: '2' },
      { state: 'failed' },
      { attempt: '2' },
      { to: '1' },
      { from: '2999-01-01T00:00:00Z' },
    ])('finds no run by its id that is not among %j', async (filter) => {
      expect(idsOf(await search(visitor, { text: id, ...filter }))).toEqual([]);
    });

    it('looks at a bounded number of them', async () => {
      const { runs, searched, isComplete, next } = await search(visitor, { text: 'nowhere' });

      expect([runs, isComplete, typeof next]).toEqual([[], false, 'string']);
      expect(searched).toBeLessThanOrEqual(10_000);
    });
  });
});

describe('a search is refused', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['attempt', { attempt: '' }],
    ['attempt', { attempt: ' 1' }],
    ['attempt', { attempt: '0x1' }],
    ['limit', { limit: '' }],
    ['limit', { limit: '1e1' }],
    ['from', { from: '2026-02-30T00:00Z' }],
    ['to', { to: '' }],
    ['sate', { sate: 'failed' }],
    ['__proto__', { ['__proto__']: '1' }],
  ])('with a wrong %s: %o', async (path, query) => {
    const { refusal } = open();

    expect(await refusal(ALL, query)).toMatchObject({
      status: 400,
      code: 'INVALID_OPTIONS',
      problems: [{ path }],
    });
  });
});

describe('the query of a route', () => {
  const board = createBoard({ broker: createMemoryBroker(), access: () => ALL });

  it.each(ROUTE_NAMES.filter((name) => name.startsWith('GET ')))('has no other keys: %s', async (name) => {
    expect(await refused(board, name, { query: '?afer=1' })).toMatchObject({
      status: 400,
      code: 'INVALID_OPTIONS',
      problems: [{ path: 'afer' }],
    });
  });

  it('has a key once, but for the states of a search', async () => {
    const twice = await refused(board, 'GET search', {
      query: '?limit=1&limit=2&state=failed&state=stalled',
    });

    expect(twice).toMatchObject({ status: 400, problems: [{ path: 'limit' }] });
  });

  it.each(['2', '', 'true'])('has 1 for the whole of a payload, and not %j', async (whole) => {
    expect(
      await refused(board, 'GET runs/:id', { query: `?whole=${whole}`, params: { id: 'a' } }),
    ).toMatchObject({ status: 400, code: 'INVALID_OPTIONS', problems: [{ path: 'whole' }] });
  });
});
