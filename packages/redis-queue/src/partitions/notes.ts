import type { Notes } from '@retry/core/broker';
import { HOLD_PREFIX } from '@retry/core/broker/kit';
import type { Parts } from './create-partition.ts';

/**
 * Joins the notes of several partitions. All are in the first one, so that a write of several is atomic, but for two kinds. Holds are in
 * each, where claims see them, and have been written to all before a write is answered; each partition lets through a run of its own where
 * a hold probes. Those whose keys begin with what `besideOf` returns are in that partition, where they are written with its runs.
 */
export function joinNotes(parts: Parts): Notes {
  const [home, ...others] = parts;
  return {
    read: (query) => (parts[placeOfKey(query.prefix)] ?? home).notes.read(query),
    write: async (writes) => {
      const place = placeOfAll(
        writes.map(({ key }) => placeOfKey(key)),
        'notes',
      );
      const written = await (parts[place] ?? home).notes.write(writes);
      const holds = writes.filter(({ key }) => key.startsWith(HOLD_PREFIX));
      if (written.outcome === 'changed' || holds.length === 0) return written;
      const copies = holds.map(({ seen: _, ...hold }) => hold);
      await Promise.all(others.map((part) => part.notes.write(copies)));
      return written;
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
