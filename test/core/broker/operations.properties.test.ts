import type { Note } from '@retry/core/broker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  FoundOperation,
  KeptOperation,
} from '../../../packages/core/src/broker/kit/operations/kept-operation.ts';
import {
  hasEnded,
  IDS_OF_A_NOTE,
  idsKey,
  operationKey,
  operationOf,
  readIds,
  readOperation,
  writeIds,
  writeOperation,
} from '../../../packages/core/src/broker/kit/operations/kept-operation.ts';
import {
  carriedBy,
  changedTo,
  freeOperation,
  isHeldLong,
  listedOperations,
  MAX_OPERATIONS,
  newOperation,
  steppedBy,
} from '../../../packages/core/src/broker/kit/operations/operation-rules.ts';
import { utf8Bytes } from '../../../packages/core/src/broker/kit/storable/texts.ts';

/** A name that every broker can store. */
const names = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((text) => text.replaceAll('\0', '-'))
  .filter((text) => text !== '');

const carriers = fc.constantFrom('one', 'other', 'third');

const requests = fc
  .record({
    ...{ id: names, kind: fc.constantFrom('redrive', 'discard'), planned: fc.nat({ max: 1_000 }) },
    isPlanExact: fc.boolean(),
    ids: fc.option(fc.array(names, { maxLength: 9 }), { nil: undefined }),
    reason: names,
  })
  .map(({ ids, ...request }) => ({
    ...request,
    filter: { state: 'failed' as const, endedBefore: 5, ...(ids && { ids }) },
  }));

/** What may happen to an operation. Times pass in between. */
const events = fc.oneof(
  fc.record({ type: fc.constant('claim' as const), carrier: carriers, leaseMs: fc.nat({ max: 50 }) }),
  fc.record({
    type: fc.constant('change' as const),
    to: fc.constantFrom('running', 'running', 'paused', 'cancelled'),
  }),
  fc.record({
    ...{ type: fc.constant('step' as const), done: fc.nat({ max: 9 }), skipped: fc.nat({ max: 9 }) },
    isLast: fc.constantFrom(false, false, false, true),
    late: fc.constantFrom(0, 0, 0, 1, 2),
  }),
);

const plays = fc.record({
  request: requests,
  events: fc.array(fc.tuple(fc.nat({ max: 30 }), events), { maxLength: 30 }),
});

/** A note, written by compare-and-swap as a broker does it. */
class OneNote {
  kept: KeptOperation;
  version = 1;
  writtenAt: number;

  constructor(kept: KeptOperation, now: number) {
    this.kept = kept;
    this.writtenAt = now;
  }

  write(seen: number, next: KeptOperation, now: number): boolean {
    if (seen !== this.version) return false;
    // As it comes back from a broker.
    this.kept = JSON.parse(writeOperation(next));
    this.version += 1;
    this.writtenAt = now;
    return true;
  }

  get found(): FoundOperation {
    return { id: this.kept.request.id, kept: this.kept, note: this };
  }
}

interface Held {
  readonly kept: KeptOperation;
  readonly version: number;
  readonly carrier: string;
  readonly at: number;
  readonly leaseMs: number;
}

/** Plays what happens to one operation, and tells a listener of each step that is accepted. */
function play(
  {
    request,
    events: all,
  }: {
    readonly request: Parameters<typeof newOperation>[0];
    readonly events: readonly (readonly [number, unknown])[];
  },
  onStep: (held: Held, now: number, before: KeptOperation) => void = () => {},
) {
  let now = 100;
  const note = new OneNote(newOperation(request, now), now);
  const claims: Held[] = [];
  const sum = { done: 0, skipped: 0 };
  for (const [passed, given] of all) {
    now += passed;
    const event = given as typeof events extends fc.Arbitrary<infer Event> ? Event : never;
    if (event.type === 'claim') {
      const free = freeOperation([note.found], event, now);
      if (free === undefined) continue;
      const kept = carriedBy(free.kept, event, now);
      if (!isHeldLong(free.kept, event, now)) note.write(note.version, kept, now);
      claims.unshift({
        kept,
        version: note.version,
        carrier: event.carrier,
        at: now,
        leaseMs: event.leaseMs,
      });
    } else if (event.type === 'change') {
      const next = changedTo(note.kept, event.to);
      if (next !== undefined) note.write(note.version, next, now);
    } else {
      const held = claims[event.late];
      if (held === undefined) continue;
      const before = note.kept;
      if (!note.write(held.version, steppedBy(held.kept, { ...event, progress: `${now}` }), now)) continue;
      sum.done += event.done;
      sum.skipped += event.skipped;
      onStep(held, now, before);
    }
  }
  return { note, sum, now };
}

describe('the rules of operations', () => {
  it('count each step that is accepted, and no other', () => {
    fc.assert(
      fc.property(plays, (given) => {
        const { note, sum } = play(given);

        expect(note.kept).toMatchObject(sum);
      }),
    );
  });

  it('accept a step only while the operation is running, and by its carrier', () => {
    fc.assert(
      fc.property(plays, (given) => {
        play(given, (held, _, before) => {
          expect(before.state).toBe('running');
          expect(before.carrier).toBe(held.carrier);
        });
      }),
    );
  });

  it('accept each claim at most once', () => {
    fc.assert(
      fc.property(plays, (given) => {
        const versions: number[] = [];
        play(given, ({ version }) => versions.push(version));

        expect(new Set(versions).size).toBe(versions.length);
      }),
    );
  });

  it('leave what has ended as it is', () => {
    fc.assert(
      fc.property(plays, fc.nat({ max: 30 }), ({ request, events: all }, at) => {
        const early = play({ request, events: all.slice(0, at) });
        const late = play({ request, events: all });
        if (!hasEnded(early.note.kept)) return;

        expect(late.note.kept).toEqual(early.note.kept);
        expect(late.note.writtenAt).toBe(early.note.writtenAt);
      }),
    );
  });

  it('give an operation to another carrier once the lease is over, and not before', () => {
    fc.assert(
      fc.property(plays, carriers, ({ request, events: all }, carrier) => {
        const { note, now } = play({ request, events: all });
        const { state, carrier: holder, carriedUntil = 0 } = note.kept;
        const claim = { carrier, leaseMs: 1 };
        const isFree = freeOperation([note.found], claim, now) !== undefined;

        expect(isFree).toBe(state === 'running' && (holder === carrier || carriedUntil <= now));
        expect(freeOperation([note.found], claim, carriedUntil) !== undefined).toBe(state === 'running');
      }),
    );
  });

  it('say what a broker keeps: a note is read as it was written', () => {
    fc.assert(
      fc.property(plays, (given) => {
        const { note } = play(given);
        const { id } = given.request;
        const read = readOperation({
          ...{ key: operationKey(id), value: writeOperation(note.kept) },
          ...{ version: note.version, writtenAt: note.writtenAt },
        });

        expect(read).toEqual({
          ...{ id, kept: note.kept },
          note: { version: note.version, writtenAt: note.writtenAt },
        });
        const shown = read && operationOf(read, 0);
        const { ids: _, ...filter } = given.request.filter as { readonly ids?: readonly string[] };
        expect(shown).toMatchObject({ ...given.request, filter, done: note.kept.done });
        expect(shown?.endedAt).toBe(hasEnded(note.kept) ? note.writtenAt : undefined);
      }),
    );
  });

  it('read nothing of a note that another program wrote', () => {
    const kept = newOperation(
      {
        id: 'o',
        kind: 'redrive',
        filter: { state: 'failed', endedBefore: 1 },
        planned: 1,
        isPlanExact: true,
      },
      5,
    );
    const wrong = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .record({ key: fc.constantFrom(...Object.keys(kept)), value: fc.constantFrom(null, 'x', [], {}, -1) })
        .filter(({ key, value }) => !(value === -1 && key !== 'request' && key !== 'state'))
        .map(({ key, value }) => JSON.stringify({ ...kept, [key]: value })),
    );
    fc.assert(
      fc.property(wrong, (value) => {
        const note: Note = { key: operationKey('o'), value, version: 1, writtenAt: 1 };

        expect(readOperation(note)).toBeUndefined();
      }),
    );
    expect(
      readOperation({ key: operationKey('p'), value: writeOperation(kept), version: 1, writtenAt: 1 }),
    ).toBeUndefined();
  });

  it('never show fewer runs than an exact plan counted, once it is done', () => {
    fc.assert(
      fc.property(plays, fc.nat({ max: 20 }), (given, elsewhere) => {
        const { note } = play(given);
        const { done, skipped, planned, state, isPlanExact } = operationOf(note.found, elsewhere);

        expect(done).toBe(note.kept.done + elsewhere);
        if (state === 'done' && isPlanExact) expect(done + skipped).toBeGreaterThanOrEqual(planned);
        else expect(skipped).toBe(note.kept.skipped);
      }),
    );
  });

  it('list all that have not ended and the latest hundred others, newest first', () => {
    const some = fc.uniqueArray(
      fc.record({ id: names, createdAt: fc.nat({ max: 50 }), isEnded: fc.boolean() }),
      { selector: ({ id }) => id, maxLength: 260, size: 'max' },
    );
    fc.assert(
      fc.property(some, (drawn) => {
        const found = drawn.map(({ id, createdAt, isEnded }): FoundOperation => {
          const request = {
            id,
            kind: 'redrive',
            filter: { state: 'failed', endedBefore: 1 },
            planned: 0,
            isPlanExact: true,
          } as const;
          const kept = {
            ...newOperation(request, createdAt),
            ...(isEnded && { state: 'cancelled' as const }),
          };
          return { id, kept, note: { version: 1, writtenAt: createdAt } };
        });

        const listed = listedOperations(found);

        const ended = listed.filter(({ kept }) => hasEnded(kept));
        expect(ended.length).toBe(Math.min(MAX_OPERATIONS, drawn.filter(({ isEnded }) => isEnded).length));
        expect(listed.length - ended.length).toBe(drawn.filter(({ isEnded }) => !isEnded).length);
        const ages = listed.map(({ kept }) => kept.createdAt);
        expect(ages).toEqual([...ages].sort((one, other) => other - one));
        const oldest = Math.min(...ended.map(({ kept }) => kept.createdAt));
        for (const one of found)
          if (!listed.includes(one)) expect(one.kept.createdAt).toBeLessThanOrEqual(oldest);
      }),
    );
  });
});

describe('the ids of an operation', () => {
  it('are read as they were written, from as few notes as there have to be', () => {
    fc.assert(
      fc.property(fc.array(names, { maxLength: 400, size: 'max' }), (ids) => {
        const texts = writeIds(ids);

        expect(texts.flatMap(readIds)).toEqual(ids);
        expect(texts.length).toBe(Math.ceil(ids.length / IDS_OF_A_NOTE));
        for (const [part, text] of texts.entries())
          expect(readIds(text)).toEqual(ids.slice(part * IDS_OF_A_NOTE, (part + 1) * IDS_OF_A_NOTE));
      }),
    );
  });

  it('fit into a note, however long they are', () => {
    for (const letter of ['x', 'ü', '\n', '😀']) {
      const id = letter.repeat(512 / utf8Bytes(letter));
      for (const text of writeIds(Array.from({ length: 300 }, () => id)))
        expect(utf8Bytes(text)).toBeLessThanOrEqual(65_536);
    }
  });

  it('are in notes of their own, whatever the ids of two operations are', () => {
    const part = fc.nat({ max: 79 });
    fc.assert(
      fc.property(names, part, names, part, (one, first, other, second) => {
        const isSame = one === other && first === second;

        expect(idsKey(one, first) === idsKey(other, second)).toBe(isSame);
        expect(idsKey(`${one}/${first}`, second) === idsKey(one, first)).toBe(false);
      }),
    );
  });

  it.each(['x', '5', '5:', '3:ab', '-1:a', ':', 'a:b'])(
    'of a text that none of us has written are none, or cut: %j',
    (text) => {
      expect(readIds(text).every((id) => text.includes(id))).toBe(true);
    },
  );
});
