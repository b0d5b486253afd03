import type {
  Broker,
  DiscardAnswer,
  Operation,
  OperationStep,
  Operations,
  RedriveAnswer,
} from '@retry/core/broker';
import type { OperationFigures } from '@retry/core/broker/kit';
import { listedOperations, operationOf } from '@retry/core/broker/kit';
import type { KeptOperation, PartOperations } from '../operations/operations.ts';
import type { PartNotices } from '../verbs/insight/group-notices.ts';
import { askEach, partitionOf } from './spread.ts';

/** The broker of one partition. */
export interface Part extends Broker {
  readonly ownOperations: PartOperations;
  readonly ownNotices: PartNotices;
}

/** The brokers of all partitions. */
export type Parts = readonly [Part, ...Part[]];

/** Joins the verbs that may be steps of an operation. */
export function joinDeadLetters(parts: Parts): Pick<Broker, 'redrive' | 'discard'> {
  const [home] = parts;
  const byId = { partitions: parts.length, idOf: (id: string) => id };
  const each = <Answer>(
    ids: readonly string[],
    ask: (part: Part, some: readonly string[]) => Promise<readonly Answer[]>,
  ): Promise<readonly Answer[]> => askEach(ids, byId, (at, some) => ask(parts[at] ?? home, some));
  return {
    redrive: (ids, options) => {
      const step = options?.operation;
      if (step === undefined) return each(ids, (part, some) => part.redrive(some, options));
      return stepParts(parts, { ids, step }, (part, some, operation) =>
        part.redrive(some, { ...options, operation }),
      );
    },
    discard: (ids, options) => {
      const step = options?.operation;
      if (step === undefined) return each(ids, (part, some) => part.discard(some, options));
      return stepParts(parts, { ids, step }, (part, some, operation) =>
        part.discard(some, { ...options, operation }),
      );
    },
  };
}

/**
 * Joins the operations of several partitions. The first one has the operations, where carriers claim them; each counts what is done
 * to its own runs.
 */
export function joinOperations(parts: Parts): Operations {
  const [home, ...others] = parts;
  const withCounts = async (kept: readonly KeptOperation[]): Promise<readonly Operation[]> => {
    const ids = kept.map(({ id }) => id);
    const counted = await Promise.all(others.map((part) => part.ownOperations.read(ids)));
    return kept.flatMap(({ id, request, figures }) => {
      const more = counted.flat().filter((one) => one.id === id);
      return request === undefined ? [] : [operationOf(request, sumOf(figures, more))];
    });
  };
  return {
    put: (request) => home.ownOperations.put(request),
    change: (id, to) => home.ownOperations.change(id, to),
    list: async () => listedOperations(await withCounts(await home.ownOperations.read())),
    get: async (id) => (await withCounts(await home.ownOperations.read([id])))[0],
    claim: async (claim) => {
      const got = await home.ownOperations.claim(claim);
      if (got === undefined) return undefined;
      const [operation] = await withCounts([got]);
      if (operation === undefined) return undefined;
      const { epoch, progress, now, request } = got;
      const whole = { ...operation, filter: request.filter };
      return { operation: whole, epoch, now, ...(progress !== undefined && { progress }) };
    },
  };
}

/**
 * Makes a step of an operation. The first partition, which says where the next step begins, comes last: a step that ended before it
 * is made again, and finds what it has done already no longer among the dead letters. The others do not know of a pause or another
 * claim, so the first one is asked before them; what comes later than that answer fences its own part only.
 */
async function stepParts<Answer extends RedriveAnswer | DiscardAnswer>(
  parts: Parts,
  { ids, step }: { readonly ids: readonly string[]; readonly step: OperationStep },
  ask: (part: Part, ids: readonly string[], step: OperationStep) => Promise<readonly Answer[]>,
): Promise<readonly (Answer | 'fenced')[]> {
  const [home] = parts;
  const isHome = (id: string): boolean => partitionOf(id, parts.length) === 0;
  const elsewhere = ids.filter((id) => !isHome(id));
  if (elsewhere.length > 0 && !(await home.ownOperations.accepts(step))) return ids.map(() => 'fenced');
  const counted = { ...step, skipped: 0, isLast: false };
  const answers = await askEach(
    elsewhere,
    { partitions: parts.length, idOf: (id) => id },
    (at, some): Promise<readonly (Answer | 'fenced')[]> => ask(parts[at] ?? home, some, counted),
  );
  if (answers.includes('fenced')) return ids.map(() => 'fenced');
  const own = ids.filter(isHome);
  const last = await ask(home, own, step);
  const byId = new Map<string, Answer | 'fenced'>();
  for (const [index, id] of elsewhere.entries()) byId.set(id, answers[index] ?? 'fenced');
  for (const [index, id] of own.entries()) byId.set(id, last[index] ?? 'fenced');
  return ids.map((id) => byId.get(id) ?? 'fenced');
}

function sumOf(figures: OperationFigures, more: readonly KeptOperation[]): OperationFigures {
  const sum = (key: 'done' | 'skipped'): number =>
    more.reduce((total, one) => total + one.figures[key], figures[key]);
  return { ...figures, done: sum('done'), skipped: sum('skipped') };
}
