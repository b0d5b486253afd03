import type { Broker } from '@retry/core/broker';
import { atMost, equal, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { AHEAD_MS } from '../case-scene.ts';
import { listValues, readNote } from './notes.ts';

/** The keys on each page of the notes of a prefix. */
async function readPages({ notes }: Broker, prefix: string, limit: number): Promise<readonly string[][]> {
  const pages: string[][] = [];
  for (let after: string | undefined; ; ) {
    const page = await notes.read({ prefix, limit, ...(after !== undefined && { after }) });
    pages.push(page.notes.map(({ key }) => key));
    if (page.next === undefined) return pages;
    after = page.next;
  }
}

async function writeEach({ notes }: Broker, keys: readonly string[]): Promise<void> {
  await notes.write(keys.map((key) => ({ key, value: 'v' })));
}

/** Names that a pattern, a query or an order by another alphabet would mistake. */
const ODD = [
  ...['a%', 'a%b', 'a_', 'a_b', 'ab', 'a*', 'a*b', 'a?', 'a[b]', 'a\\', 'a\\b', "a'b", 'a"b', 'a b', 'a\nb'],
  ...[
    '{a}',
    'A',
    'Ab',
    '-',
    '(',
    '[a',
    '+',
    '__proto__',
    'é',
    'e\u0301',
    'éa',
    '\uffff',
    '\uffffa',
    '😀',
    '😀a',
    '\u{10ffff}',
  ],
];

/** Which notes a read returns, and in which order. */
export const notesPagesCases: CasesByName = {
  'notes are read by the prefix of their keys, in the order of their bytes': async ({ broker }) => {
    await writeEach(broker, ['b', 'a/2', 'a/10', 'a', 'a0', 'A/1', 'a/1']);

    equal(await listValues(broker, 'a/'), ['a/1=v', 'a/10=v', 'a/2=v']);
    equal(await listValues(broker, 'a'), ['a=v', 'a/1=v', 'a/10=v', 'a/2=v', 'a0=v']);
    equal(await listValues(broker, ''), ['A/1=v', 'a=v', 'a/1=v', 'a/10=v', 'a/2=v', 'a0=v', 'b=v']);
    equal(await listValues(broker, 'c'), []);
  },

  'notes are read by any prefix: %s': each(
    () => ODD,
    async ({ broker }, prefix) => {
      await writeEach(broker, ODD);

      const { notes } = await broker.notes.read({ prefix, limit: 1_000 });

      const expected = ODD.filter((key) => key.startsWith(prefix));
      equal(new Set(notes.map(({ key }) => key)), new Set(expected));
      strictEqual(notes[0]?.key, prefix);
    },
  ),

  'notes are ordered by code points, whatever their letters': async ({ broker }) => {
    await writeEach(broker, ['\u{10000}', '\uffff', 'z', 'é', '\ue000', 'Z', '\ud7ff', 'e']);

    const order = ['Z', 'e', 'z', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}'];
    equal(await readPages(broker, '', 3), [order.slice(0, 3), order.slice(3, 6), order.slice(6)]);
  },

  'notes are read page by page, each once': async ({ broker }) => {
    const keys = Array.from({ length: 25 }, (_, index) => `k${String(index).padStart(2, '0')}`);
    await writeEach(broker, [...keys, 'j', 'l']);

    for (const limit of [1, 7, 24]) {
      const pages = await readPages(broker, 'k', limit);
      equal(pages.flat(), keys);
      for (const page of pages) atMost(page.length, limit);
    }
    equal(await readPages(broker, 'k', 25), [keys]);
    equal(await readPages(broker, 'k', 1_000), [keys]);
  },

  'notes that are deleted or written while pages are read do not stop the reading': async ({ broker }) => {
    await writeEach(broker, ['a', 'b', 'c', 'd']);
    const { next = '' } = await broker.notes.read({ prefix: '', limit: 2 });
    await broker.notes.write([
      { key: 'a', value: '2' },
      { key: 'b', value: null },
      { key: 'bb', value: '2' },
    ]);

    const { notes } = await broker.notes.read({ prefix: '', limit: 10, after: next });

    equal(
      notes.map(({ key }) => key),
      ['bb', 'c', 'd'],
    );
  },

  'notes that have expired do not hide those behind them': async (scene) => {
    const { notes } = scene.broker;
    const writes = Array.from({ length: 30 }, (_, index) => ({ key: `a${index}`, value: 'v' }));
    await notes.write(writes.map((write) => ({ ...write, ttlMs: AHEAD_MS })));
    await writeEach(scene.broker, ['b']);
    const { expiresAt = 0 } = (await readNote(scene.broker, 'a0')) ?? {};

    await scene.advancePast(expiresAt);

    equal((await readPages(scene.broker, '', 10)).flat(), ['b']);
  },

  'notes of many bytes come in several pages': async ({ broker }) => {
    const value = '😀'.repeat(16_384);
    const keys = Array.from({ length: 150 }, (_, index) => `k${1000 + index}`);
    for (let from = 0; from < keys.length; from += 50)
      await broker.notes.write(keys.slice(from, from + 50).map((key) => ({ key, value })));

    const pages = await readPages(broker, 'k', 1_000);

    equal(pages.flat(), keys);
    strictEqual((await readNote(broker, 'k1149'))?.value, value);
  },
};
