import type { Notes, NoteWrite } from '@retry/core/broker';
import { HOLD_PREFIX, readNote } from '@retry/core/broker/kit';
import type { Part } from './create-partition.ts';

/** The notes of each partition. */
type NotesOfParts = readonly [Pick<Part, 'notes'>, ...Pick<Part, 'notes'>[]];

/**
 * Joins the notes of several partitions. All are in the first one, so that a write of several is atomic, but for two kinds. Holds are in
 * each, where claims see them, and have been copied to all before a write is answered, one that is answered `changed` as well; each
 * partition lets through a run of its own where a hold probes. Those whose keys begin with what `besideOf` returns are in that partition,
 * where they are written with its runs.
 */
export function joinNotes(parts: NotesOfParts): Notes {
  const [home, ...others] = parts;
  return {
    read: (query) => (parts[placeOfKey(query.prefix)] ?? home).notes.read(query),
    write: async (writes) => {
      const place = placeOfAll(
        writes.map(({ key }) => placeOfKey(key)),
        'notes',
      );
      const written = await (parts[place] ?? home).notes.write(writes);
      const holds = writes.flatMap(({ key }) => (key.startsWith(HOLD_PREFIX) ? [key] : []));
      if (holds.length > 0) await copyHolds(home.notes, others, holds);
      return written;
    },
  };
}

/**
 * Copies what the first partition has of these holds to the others, until that is what has been copied: another call may have written and
 * copied meanwhile, and been overtaken by the copies of this one. A copy that fails keeps none of the others from being made.
 *
 * @throws what the latest copy to a partition was rejected with
 */
async function copyHolds(
  home: Notes,
  others: readonly Pick<Part, 'notes'>[],
  keys: readonly string[],
): Promise<void> {
  let copied: readonly HoldCopy[] | undefined;
  let ends: readonly PromiseSettledResult<unknown>[] = [];
  for (;;) {
    const present = await Promise.all(keys.map((key) => readCopy(home, key)));
    if (copied?.every(({ version }, index) => version === present[index]?.version)) break;
    const writes = present.map(({ write }) => write);
    ends = await Promise.allSettled(others.map(({ notes }) => notes.write(writes)));
    copied = present;
  }
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** The version of a hold, 0 where there is none, and the write that copies it. */
interface HoldCopy {
  readonly version: number;
  readonly write: NoteWrite;
}

async function readCopy(home: Notes, key: string): Promise<HoldCopy> {
  const { note, now } = await readNote(home, key);
  if (note === undefined) return { version: 0, write: { key, value: null } };
  const { version, value, expiresAt, probeMs } = note;
  // The later of both holds: a server whose clock is ahead does not end it sooner.
  const left = expiresAt === undefined ? 0 : expiresAt - now;
  return {
    version,
    write: {
      ...{ key, value },
      ...(expiresAt !== undefined && { expiresAt }),
      ...(left > 0 && { ttlMs: left }),
      ...(probeMs !== undefined && { probeMs }),
    },
  };
}

/** What the keys of notes begin with that are kept beside the runs of a partition; `undefined` in the first one, where all others are. */
export function besideOf(partition: number): string | undefined {
  return partition === 0 ? undefined : `partition/${partition}/`;
}

/** Returns the partition in which a note of this key is kept. */
export function placeOfKey(key: string): number {
  return Number(/^partition\/([1-9]\d{0,2})\//.exec(key)?.[1] ?? 0);
}

/** Returns the one partition of all that is written together. @throws {RangeError} where there are several */
export function placeOfAll(places: readonly number[], what: string): number {
  const [place = 0] = places;
  if (places.every((one) => one === place)) return place;
  throw new RangeError(`${what} of several partitions cannot be written together: see SeenRun.beside`);
}
