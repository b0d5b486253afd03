import type { Note, Notes, NoteWrite } from '@retry/core/broker';
import fc from 'fast-check';
import { assertSame } from './broker-agrees.ts';
import type { Operation } from './broker-operations.ts';

/** Notes that a model has seen written. */
export interface ModelNotes {
  /** By key; some may have expired. */
  readonly kept: Map<string, Note>;
  /** Every version that was ever written. */
  readonly versions: number[];
}

/** A write as it is drawn: which version it has seen is known when it is made. */
interface DrawnWrite {
  readonly key: string;
  readonly seen: 'latest' | 'none' | 'any' | number;
  readonly value: string | null;
  readonly ttlMs: number | undefined;
}

const KEYS = ['n', 'n/1', 'n/2', 'N', 'n%'];

/** Random writes of notes; after each those of some prefixes are read, two on a page. */
export function noteWrites(): fc.Arbitrary<Operation> {
  const one: fc.Arbitrary<DrawnWrite> = fc.record({
    key: fc.constantFrom(...KEYS),
    seen: fc.oneof(
      fc.constantFrom('latest' as const, 'latest' as const, 'none' as const, 'any' as const),
      fc.nat({ max: 30 }),
    ),
    value: fc.constantFrom('1', '2', 'ä😀', null),
    ttlMs: fc.constantFrom(undefined, 30, 30, 86_400_000),
  });
  const some = fc.uniqueArray(one, { selector: ({ key }) => key, minLength: 1, maxLength: 3 });
  return some.map((drawn) => [
    `write notes ${JSON.stringify(drawn)}`,
    async ({ notes: model }, { broker }) => {
      const writes = drawn.map((write) => writeOf(model, write));
      const written = await broker.notes.write(writes);
      const { now } = written;
      const wrong = writes.flatMap(({ key, seen }, index) =>
        seen === undefined || seen === (keptOf(model, key, now)?.version ?? 0) ? [] : [index],
      );
      assertSame(written.outcome === 'changed' ? written.changed : [], wrong);
      if (written.outcome === 'written') keep(model, writes, written);
      await assertNotes(model, broker.notes);
    },
  ]);
}

function writeOf(model: ModelNotes, { key, seen, value, ttlMs }: DrawnWrite): NoteWrite {
  const write = { key, value, ...(ttlMs !== undefined && { ttlMs }) };
  if (seen === 'any') return write;
  if (seen === 'none') return { ...write, seen: 0 };
  if (seen === 'latest') return { ...write, seen: model.kept.get(key)?.version ?? 0 };
  return { ...write, seen: model.versions[seen % Math.max(1, model.versions.length)] ?? 0 };
}

function keptOf({ kept }: ModelNotes, key: string, now: number): Note | undefined {
  const note = kept.get(key);
  return (note?.expiresAt ?? Infinity) > now ? note : undefined;
}

function keep(
  { kept, versions: known }: ModelNotes,
  writes: readonly NoteWrite[],
  { versions, now }: { readonly versions: readonly number[]; readonly now: number },
): void {
  for (const [index, { key, value, ttlMs }] of writes.entries()) {
    const version = versions[index] ?? 0;
    kept.delete(key);
    assertSame(known.includes(version), false);
    assertSame(version === 0, value === null);
    if (value === null) continue;
    known.push(version);
    kept.set(key, {
      key,
      value,
      version,
      writtenAt: now,
      ...(ttlMs !== undefined && { expiresAt: now + ttlMs }),
    });
  }
}

async function assertNotes(model: ModelNotes, notes: Notes): Promise<void> {
  for (const prefix of ['N', 'n', 'n/', 'n%']) {
    const found: Note[] = [];
    let after: string | undefined;
    let now = 0;
    do {
      const page = await notes.read({ prefix, limit: 2, ...(after !== undefined && { after }) });
      found.push(...page.notes);
      after = page.next;
      now = page.now;
    } while (after !== undefined);
    const expected = [...model.kept.values()]
      .filter(({ key }) => key.startsWith(prefix) && keptOf(model, key, now) !== undefined)
      .sort((one, other) => (one.key < other.key ? -1 : 1));
    // On a real clock a note may expire between two pages.
    assertSame(
      found.filter(({ expiresAt = Infinity }) => expiresAt > now),
      expected,
    );
  }
}
