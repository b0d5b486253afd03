import type { Audit, Broker, ListQuery, ReadFigures, Run, RunPage, WaitRequest } from '@retry/core/broker';
import type { AttendanceSource, FigureSources, Position } from '@retry/core/broker/kit';
import {
  attendBy,
  figuresBy,
  MAX_BATCH_BYTES,
  readCursor,
  runBytes,
  sizedPage,
  withEntryRates,
  writeCursor,
} from '@retry/core/broker/kit';
import { isRefusal } from '../driver/refusal.ts';
import { joinChanges } from './change.ts';
import type { Part, Parts } from './create-partition.ts';
import { exchangeParts, refuseKeys } from './exchange.ts';
import { joinFigures } from './figures.ts';
import { joinNotes } from './notes.ts';
import { askEach } from './spread.ts';

/** Waiting runs of a lane are counted up to this number. */
const MAX_DEPTH = 10_000;

/**
 * Joins the brokers of several partitions into one. A run is kept in the partition of its id. The order of a lane holds within
 * each partition only.
 */
export function joinParts(given: readonly Part[]): Broker {
  const [only, ...others] = given;
  if (only === undefined) throw new RangeError('there is no partition');
  const parts: Parts = [only, ...others];
  const attend = joinAttendance(parts);
  const {
    ownLanes: _lanes,
    ownLaneCounts: _counts,
    ownGroups: _groups,
    ownMemory: _memory,
    ownFigures,
    ...broker
  } = only;
  if (others.length === 0) return { ...broker, attend, figures: figuresWithRates(ownFigures) };
  const [reads, notes] = [joinReads(parts), joinNotes(parts)];
  const figures = figuresWithRates(joinFigures(parts, { ...reads, notes }));
  return {
    ...joinMoves(parts),
    ...joinChanges(parts),
    ...reads,
    ...joinWaits(parts),
    figures,
    notes,
    attend,
  };
}

function figuresWithRates(sources: FigureSources): ReadFigures {
  return figuresBy(withEntryRates(sources));
}

type Moves = 'submit' | 'exchange' | 'heartbeat' | 'reserve';
type Changes = 'get' | 'change';
type Waits = 'wait' | 'isRefusal' | 'close';

function joinMoves(parts: Parts): Pick<Broker, Moves> {
  const partitions = parts.length;
  const own = { partitions, idOf: ({ id }: { readonly id: string }) => id };
  return {
    submit: async (submissions) => {
      for (const submission of submissions) refuseKeys(submission);
      return askEach(submissions, own, (at, some) => partAt(parts, at).submit(some));
    },
    exchange: (request) => exchangeParts(parts, request),
    heartbeat: (leases, leaseMs) =>
      askEach(leases, own, (at, some) => partAt(parts, at).heartbeat(some, leaseMs)),
    reserve: (requests) =>
      askEach(requests, { partitions, idOf: ({ key }) => key }, (at, some) =>
        partAt(parts, at).reserve(some),
      ),
  };
}

function joinReads(parts: Parts): Omit<Broker, Moves | Changes | Waits | 'attend' | 'figures' | 'notes'> {
  return {
    findExpired: async (limit, scope) =>
      sizedPage(
        inTurn(await Promise.all(parts.map((part) => part.findExpired(limit, scope)))).slice(0, limit),
      ),
    list: (query) => listParts(parts, query),
    audit: async () => (await Promise.all(parts.map((part) => part.audit()))).reduce(addAudits),
  };
}

/** Returns the first of each list, then the second of each, and so on: a full list does not hide what is in the others. */
function inTurn<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}

function joinWaits(parts: Parts): Pick<Broker, Waits> {
  return {
    wait: (request) => waitForAny(parts, request),
    isRefusal,
    close: async () => {
      await Promise.all(parts.map((part) => part.close()));
    },
  };
}

function partAt(parts: Parts, index: number): Part {
  const part = parts[index];
  if (part === undefined) throw new RangeError(`there is no partition ${index} of ${parts.length}`);
  return part;
}

/** Resolves with the first partition that has it; ends the waits for the others. */
async function waitForAny(parts: Parts, { signal, ...request }: WaitRequest): Promise<void> {
  const others = new AbortController();
  const stop = (): void => others.abort();
  if (signal?.aborted) return;
  signal?.addEventListener('abort', stop);
  const waits = parts.map((part) => part.wait({ ...request, signal: others.signal }));
  try {
    await Promise.race(waits);
  } finally {
    stop();
    signal?.removeEventListener('abort', stop);
    await Promise.allSettled(waits);
  }
}

/** A lane may have runs in every partition; its depth is the sum of all. The notes of the first one know the workers. */
function joinAttendance(parts: Parts): Broker['attend'] {
  const all = parts.map(({ ownLanes }) => ownLanes);
  const source: AttendanceSource = {
    notes: parts[0].notes,
    names: async () => (await Promise.all(all.map(({ names }) => names()))).flatMap((some) => [...some]),
    depths: async (lanes) => {
      const sums = new Map<string, number>();
      for (const { lane, waiting } of (await Promise.all(all.map(({ depths }) => depths(lanes)))).flat())
        sums.set(lane, Math.min((sums.get(lane) ?? 0) + waiting, MAX_DEPTH));
      return [...sums].map(([lane, waiting]) => ({ lane, waiting }));
    },
  };
  return (attendance) => attendBy(source, attendance);
}

function addAudits(one: Audit, other: Audit): Audit {
  const ended = { ...one.ended };
  for (const [state, count] of Object.entries(other.ended)) ended[state as keyof typeof ended] += count; // its own keys
  return {
    created: one.created + other.created,
    submitted: one.submitted + other.submitted,
    scheduled: one.scheduled + other.scheduled,
    started: one.started + other.started,
    ended,
    forgotten: one.forgotten + other.forgotten,
    unbalanced: one.unbalanced + other.unbalanced,
  };
}

/** The broker in the cursors: those of its partitions are in them, and have the names of their queue. */
const BROKER = 'redis partitions';

/** Lists the runs of one partition after another: the order of a list holds within each partition only. */
async function listParts(parts: readonly Pick<Broker, 'list'>[], query: ListQuery): Promise<RunPage> {
  const { after: _, ...first } = query;
  const runs: Run[] = [];
  let next: Position | undefined = readCursor(BROKER, query) ?? ['partition', 0];
  while (next !== undefined && runs.length < query.limit && !isLarge(runs)) {
    const [, index, after] = next as readonly [string, number, string?]; // as written below
    const asked = { ...first, limit: query.limit - runs.length };
    const page = await parts[index]?.list(after === undefined ? asked : { ...asked, after });
    runs.push(...(page?.runs ?? []));
    next = index + 1 < parts.length ? ['partition', index + 1] : undefined;
    if (page?.next === undefined) continue;
    next = ['partition', index, page.next];
    break;
  }
  return next === undefined ? { runs } : { runs, next: writeCursor(BROKER, query, next) };
}

/** A page that is large already does not get as much again of the next partition. */
function isLarge(runs: readonly Run[]): boolean {
  return runs.reduce((sum, run) => sum + runBytes(run), 0) > MAX_BATCH_BYTES / 8;
}
