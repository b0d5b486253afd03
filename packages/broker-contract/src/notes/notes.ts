import type { Broker, Note, NotesWritten } from '@retry/core/broker';
import { listHolds } from '@retry/core/broker/kit';
import { above, atLeast, atMost, equal, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { AHEAD_MS, LONG_MS } from '../case-scene.ts';

/** The note of a key, if there is one. */
export async function readNote({ notes }: Broker, key: string): Promise<Note | undefined> {
  const page = await notes.read({ prefix: key, limit: 1 });
  return page.notes.find((note) => note.key === key);
}

/** What is written: keys and values, in the order in which they are listed. */
export async function listValues({ notes }: Broker, prefix = ''): Promise<readonly string[]> {
  const page = await notes.read({ prefix, limit: 1_000 });
  strictEqual(page.next, undefined);
  return page.notes.map(({ key, value }) => `${key}=${value}`);
}

/** The versions of a write that was made. */
export function versionsOf(written: NotesWritten): readonly number[] {
  strictEqual(written.outcome, 'written');
  return written.outcome === 'written' ? written.versions : [];
}

/** The indexes of the writes that were not what was seen. */
function changedOf(written: NotesWritten): readonly number[] {
  strictEqual(written.outcome, 'changed');
  return written.outcome === 'changed' ? written.changed : [];
}

/** What notes keep, and when a write is made. */
export const notesCases: CasesByName = {
  'notes keep what was written, with its version': async ({ broker }) => {
    const written = await broker.notes.write([{ key: 'k', seen: 0, value: '{"a":1}' }]);

    const [version = 0] = versionsOf(written);
    atLeast(version, 1);
    equal((await broker.notes.read({ prefix: 'k', limit: 10 })).notes, [
      { key: 'k', value: '{"a":1}', version, writtenAt: written.now },
    ]);
  },

  'notes are created only where there is none, by a write that saw none': async ({ broker }) => {
    await broker.notes.write([{ key: 'k', seen: 0, value: 'first' }]);

    const again = await broker.notes.write([{ key: 'k', seen: 0, value: 'second' }]);

    equal(changedOf(again), [0]);
    equal(await listValues(broker), ['k=first']);
  },

  'notes are written only if they are still what was seen': async ({ broker }) => {
    const [first] = versionsOf(await broker.notes.write([{ key: 'k', value: 'first' }]));
    const written = await broker.notes.write([{ key: 'k', seen: first ?? 0, value: 'second' }]);
    const [second] = versionsOf(written);
    above(second, first ?? 0);

    const late = await broker.notes.write([{ key: 'k', seen: first ?? 0, value: 'late' }]);

    equal(changedOf(late), [0]);
    equal(await readNote(broker, 'k'), {
      key: 'k',
      value: 'second',
      version: second,
      writtenAt: written.now,
    });
  },

  'notes are written whatever is there, by a write that names no version': async ({ broker }) => {
    await broker.notes.write([{ key: 'k', value: 'first' }]);

    versionsOf(await broker.notes.write([{ key: 'k', value: 'second' }]));

    equal(await listValues(broker), ['k=second']);
  },

  'notes that were deleted and written again are not what was seen before': async ({ broker }) => {
    const [first = 0] = versionsOf(await broker.notes.write([{ key: 'k', seen: 0, value: 'v' }]));
    equal(versionsOf(await broker.notes.write([{ key: 'k', seen: first, value: null }])), [0]);
    await broker.notes.write([{ key: 'k', seen: 0, value: 'v' }]);

    equal(changedOf(await broker.notes.write([{ key: 'k', seen: first, value: 'late' }])), [0]);
  },

  'notes that are deleted are gone, and a note that is not there can be deleted': async ({ broker }) => {
    const [version = 0] = versionsOf(await broker.notes.write([{ key: 'k', value: 'v' }]));

    equal(changedOf(await broker.notes.write([{ key: 'k', seen: version + 1, value: null }])), [0]);
    equal(versionsOf(await broker.notes.write([{ key: 'k', seen: version, value: null }])), [0]);
    equal(versionsOf(await broker.notes.write([{ key: 'k', seen: 0, value: null }])), [0]);
    equal(versionsOf(await broker.notes.write([{ key: 'k', value: null }])), [0]);

    equal(changedOf(await broker.notes.write([{ key: 'k', seen: version, value: 'late' }])), [0]);
    equal(await listValues(broker), []);
  },

  'notes are written all or none, and the answer says which had changed': async ({ broker }) => {
    const [a = 0, b = 0] = versionsOf(
      await broker.notes.write([
        { key: 'a', value: '1' },
        { key: 'b', value: '1' },
        { key: 'c', value: '1' },
      ]),
    );
    const written = await broker.notes.write([
      { key: 'd', seen: 0, value: '2' },
      { key: 'c', seen: 0, value: '2' },
      { key: 'a', seen: a, value: '2' },
      { key: 'e', seen: b, value: '2' },
      { key: 'b', seen: b, value: null },
    ]);

    equal(changedOf(written), [1, 3]);
    equal(await listValues(broker), ['a=1', 'b=1', 'c=1']);
    equal(changedOf(await broker.notes.write([{ key: 'e', seen: b, value: '3' }])), [0]);
    equal(await readNote(broker, 'e'), undefined);
    equal(versionsOf(await broker.notes.write([{ key: 'a', seen: a, value: '3' }])).length, 1);
  },

  'notes that are written together have a version each, in their order': async ({ broker }) => {
    const versions = versionsOf(
      await broker.notes.write([
        { key: 'b', value: '1' },
        { key: 'x', value: null },
        { key: 'a', value: '2' },
      ]),
    );

    const [b, , a] = versions;
    strictEqual(versions[1], 0);
    strictEqual(new Set(versions).size, 3);
    equal((await readNote(broker, 'b'))?.version, b);
    equal((await readNote(broker, 'a'))?.version, a);
  },

  'notes: a write of nothing writes nothing': async ({ broker }) => {
    equal(versionsOf(await broker.notes.write([])), []);
  },

  'notes say the clock of the broker': async (scene) => {
    const before = await scene.now();
    const { now: written } = await scene.broker.notes.write([{ key: 'k', value: 'v', ttlMs: 60_000.5 }]);
    const { now: read, notes } = await scene.broker.notes.read({ prefix: '', limit: 1 });
    const after = await scene.now();

    for (const now of [written, read]) {
      atLeast(now, before);
      atMost(now, after);
    }
    strictEqual(notes[0]?.expiresAt, written + 60_001);
  },

  'notes expire at the later of two instants': async (scene) => {
    const { now, notes } = await scene.broker.notes.read({ prefix: '', limit: 1 });
    equal(notes, []);
    await scene.broker.notes.write([
      { key: 'a', value: '1', ttlMs: 1, expiresAt: now + LONG_MS },
      { key: 'b', value: '1', ttlMs: LONG_MS, expiresAt: 1 },
      { key: 'c', value: '1', expiresAt: now + LONG_MS + 0.5 },
      { key: 'd', value: '1', expiresAt: 1 },
    ]);

    const [a, b, c, ...others] = (await scene.broker.notes.read({ prefix: '', limit: 9 })).notes;

    equal([a?.expiresAt, c?.expiresAt], [now + LONG_MS, now + LONG_MS + 1]);
    atLeast(b?.expiresAt, now + LONG_MS);
    equal(others, []);
  },

  'notes expire by the clock of the broker, and are then as if they had been deleted': async (scene) => {
    const { notes } = scene.broker;
    const [first = 0] = versionsOf(await notes.write([{ key: 'a', value: '1', ttlMs: AHEAD_MS }]));
    await notes.write([
      { key: 'b', value: '1', ttlMs: LONG_MS },
      { key: 'c', value: '1', ttlMs: AHEAD_MS },
      { key: 'd', value: '1' },
    ]);
    equal(await listValues(scene.broker), ['a=1', 'b=1', 'c=1', 'd=1']);
    equal(changedOf(await notes.write([{ key: 'a', seen: 0, value: '2' }])), [0]);
    const { expiresAt = 0 } = (await readNote(scene.broker, 'c')) ?? {};

    await scene.advancePast(expiresAt);

    equal(await listValues(scene.broker), ['b=1', 'd=1']);
    equal(changedOf(await notes.write([{ key: 'a', seen: first, value: '2' }])), [0]);
    versionsOf(await notes.write([{ key: 'a', seen: 0, value: '2' }]));
    equal(await listValues(scene.broker), ['a=2', 'b=1', 'd=1']);
  },

  'notes live as long as their latest write says': async (scene) => {
    const { notes } = scene.broker;
    await notes.write([
      { key: 'a', value: '1', ttlMs: AHEAD_MS },
      { key: 'b', value: '1', ttlMs: AHEAD_MS },
      { key: 'c', value: '1' },
    ]);
    await notes.write([
      { key: 'a', value: '2' },
      { key: 'b', value: '2', ttlMs: LONG_MS },
      { key: 'c', value: '2', ttlMs: AHEAD_MS },
    ]);
    const { expiresAt = 0 } = (await readNote(scene.broker, 'c')) ?? {};

    await scene.advancePast(expiresAt);
    await notes.write([{ key: 'd', value: '1' }]);

    equal(await listValues(scene.broker), ['a=2', 'b=2', 'd=1']);
  },

  'notes that expire at the end of time are kept': async ({ broker }) => {
    await broker.notes.write([{ key: 'k', value: 'v', ttlMs: 1e300 }]);

    equal(await listValues(broker), ['k=v']);
  },

  'notes of one batch are written by one of several calls at the same time': async ({ broker }) => {
    const write = (from: number) => {
      const keys = from % 2 === 0 ? ['a', 'b', 'c'] : ['c', 'b', 'a'];
      return broker.notes.write(keys.map((key) => ({ key, seen: 0, value: `${from}` })));
    };

    const answers = await Promise.all(Array.from({ length: 10 }, (_, from) => write(from)));

    const winners = answers.flatMap(({ outcome }, from) => (outcome === 'written' ? [from] : []));
    strictEqual(winners.length, 1);
    equal(
      await listValues(broker),
      ['a', 'b', 'c'].map((key) => `${key}=${winners[0]}`),
    );
  },

  'notes lose no step of writers that read, and write what they saw, at the same time': async ({
    broker,
  }) => {
    await Promise.all(Array.from({ length: 8 }, () => countUp(broker, 5)));

    equal(await listValues(broker), ['n=40']);
  },

  'notes have nothing to do with runs, lanes and limits of the same name': async (scene) => {
    await scene.broker.notes.write([{ key: 'k', value: 'v' }]);

    await scene.submit({ id: 'k', lane: 'k' });

    equal(await scene.claimIds({ lanes: ['k'] }), ['k']);
    equal(await listHolds(scene.broker), []);
    equal(await listValues(scene.broker), ['k=v']);
  },
};

/** Adds 1 to a number in a note, as often as asked. */
async function countUp(broker: Broker, times: number): Promise<void> {
  for (let left = times; left > 0; ) {
    const note = await readNote(broker, 'n');
    const value = `${Number(note?.value ?? 0) + 1}`;
    const { outcome } = await broker.notes.write([{ key: 'n', seen: note?.version ?? 0, value }]);
    if (outcome === 'written') left -= 1;
  }
}

/** What clients of one storage see of each other's notes. */
export const notesClientsCases: CasesByName = {
  'notes of one client are those of all': async ({ broker, open }) => {
    const other = await open();
    const written = await broker.notes.write([{ key: 'k', seen: 0, value: '1' }]);
    const [version = 0] = versionsOf(written);

    equal(await readNote(other, 'k'), { key: 'k', value: '1', version, writtenAt: written.now });
    versionsOf(await other.notes.write([{ key: 'k', seen: version, value: '2' }]));

    equal(changedOf(await broker.notes.write([{ key: 'k', seen: version, value: '3' }])), [0]);
    equal(await listValues(broker), ['k=2']);
  },

  'notes lose no step of two clients that write at the same time': async ({ broker, open }) => {
    const other = await open();

    await Promise.all([countUp(broker, 10), countUp(other, 10), countUp(broker, 10)]);

    equal(await listValues(broker), ['n=30']);
  },
};
