import type { Broker, Change, ChangeAnswer, OperationStep, Reading } from '@retry/core/broker';
import { getBy } from '@retry/core/broker/kit';
import type { Parts } from './operations.ts';
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
      const step = options?.operation;
      if (step !== undefined) return changeInStep(parts, changes, step);
      const answers = await changeEach(parts, changes);
      return answers === 'fenced' ? [] : answers;
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
    return reading.runs;
  });
  return { now: ids.length === 0 ? (await home.get([], seen)).now : now, runs };
}

async function changeEach(
  parts: Parts,
  changes: readonly Change[],
  operation?: OperationStep,
): Promise<readonly ChangeAnswer[] | 'fenced'> {
  const [home] = parts;
  let isFenced = false;
  const own = { partitions: parts.length, idOf: ({ id }: Change) => id };
  const answers = await askEach(changes, own, async (at, some) => {
    const given = await (parts[at] ?? home).change(some, operation && { operation });
    if (given !== 'fenced') return given;
    isFenced = true;
    return some.map((): ChangeAnswer => 'changed');
  });
  return isFenced ? 'fenced' : answers;
}

/**
 * Makes a step of an operation. The first partition, which says where the next step begins, comes last: a step that ended before it
 * is made again, and finds what it has done already no longer among the dead letters. The others do not know of a pause or another
 * claim, so the first one is asked before them; what comes later than that answer fences its own part only.
 */
async function changeInStep(
  parts: Parts,
  changes: readonly Change[],
  operation: OperationStep,
): Promise<readonly ChangeAnswer[] | 'fenced'> {
  const [home] = parts;
  const isHome = ({ id }: Change): boolean => partitionOf(id, parts.length) === 0;
  const elsewhere = changes.filter((change) => !isHome(change));
  if (elsewhere.length > 0 && !(await home.ownOperations.accepts(operation))) return 'fenced';
  const others = await changeEach(parts, elsewhere, { ...operation, skipped: 0, isLast: false });
  if (others === 'fenced') return 'fenced';
  const own = await home.change(changes.filter(isHome), { operation });
  if (own === 'fenced') return 'fenced';
  const left = { own: [...own], others: [...others] };
  return changes.map((change) => (isHome(change) ? left.own : left.others).shift() ?? 'gone');
}
