import type { Broker, Reading } from '@retry/core/broker';
import { getBy } from '@retry/core/broker/kit';
import type { Parts } from './create-partition.ts';
import { besideOf, placeOfAll, placeOfKey } from './notes.ts';
import { askEach, partitionOf } from './spread.ts';

/** Joins the verbs by which runs are read and changed. */
export function joinChanges(parts: Parts): Pick<Broker, 'get' | 'change'> {
  const [home] = parts;
  const byId = { partitions: parts.length, idOf: (id: string) => id };
  return {
    get: getBy({
      runs: (ids, options) => askEach(ids, byId, (at, some) => (parts[at] ?? home).get(some, options)),
      seen: (ids) => readParts(parts, ids),
    }),
    change: async (changes, options) => {
      if (options?.notes !== undefined) {
        const places = [
          ...changes.map(({ id }) => partitionOf(id, parts.length)),
          ...options.notes.map(({ key }) => placeOfKey(key)),
        ];
        return (parts[placeOfAll(places, 'runs and notes')] ?? home).change(changes, options);
      }
      return askEach(changes, { partitions: parts.length, idOf: ({ id }) => id }, async (at, some) => {
        const answers = await (parts[at] ?? home).change(some);
        return answers === 'fenced' ? [] : answers; // that is an answer to notes
      });
    },
  };
}

async function readParts(parts: Parts, ids: readonly string[]): Promise<Reading> {
  const [home] = parts;
  const seen = { answer: 'seen' } as const;
  let now = 0;
  const runs = await askEach(ids, { partitions: parts.length, idOf: (id) => id }, async (at, some) => {
    const reading = await (parts[at] ?? home).get(some, seen);
    // The latest clock: nothing that is decided by it is early on another server.
    now = Math.max(now, reading.now);
    const beside = besideOf(at);
    return beside === undefined ? reading.runs : reading.runs.map((run) => run && { ...run, beside });
  });
  return { now: ids.length === 0 ? (await home.get([], seen)).now : now, runs };
}
