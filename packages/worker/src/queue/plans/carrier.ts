import type { Broker, ListQuery, Operation, Run } from '@retry/core/broker';
import type { ClaimedOperation } from '@retry/core/broker/kit';
import { claimOperation, readOperationIds, stepOperation } from '@retry/core/broker/kit';
import { hasAttemptsLeft } from '../../task/run-policy.ts';
import { listedBy, matchesListed } from '../operate/letter-query.ts';
import { createRunReader } from '../read-runs.ts';
import { spacingOf } from './spacing.ts';

/** The most runs of one step: it takes some ten milliseconds of the server. */
const STEP_RUNS = 250;

/** How long an operation is claimed, in ms; another carrier takes over after that. */
const LEASE_MS = 5_000;

/** How long to wait between two steps of an operation without a rate, and with one, in ms. */
const REST_MS = 5;
const SPACED_REST_MS = 500;

/** A worker, or a process that has applied a plan, as it carries operations on. */
interface Carrier {
  readonly broker: Broker;
  readonly random: () => number;
  /** A name that no other carrier has. */
  readonly name: string;
}

/** Where the next step begins, as text in `progress`. */
interface Progress {
  /** The cursor of the list, or the index in the ids. */
  readonly after?: string | number;
  readonly nextAt?: number;
}

/** The runs of one step. */
interface Selected {
  readonly ids: readonly string[];
  readonly skipped: number;
  readonly after: string | number | undefined;
  readonly isLast: boolean;
}

/** A step that was tried. */
export interface Carried {
  /** The operation. */
  readonly id: string;
  /** How long to wait before the next step, in ms. */
  readonly restMs: number;
}

/**
 * Claims an operation and makes one step of it.
 *
 * @param id - only this one; absent: the oldest that no other carrier holds
 * @returns `undefined` when there is nothing to carry on
 */
export async function carryStep(carrier: Carrier, id?: string): Promise<Carried | undefined> {
  const { broker, random, name } = carrier;
  const claim = { carrier: name, leaseMs: LEASE_MS };
  const claimed = await claimOperation(broker, id === undefined ? claim : { ...claim, id });
  if (claimed === undefined) return undefined;
  const { operation, now } = claimed;
  const { after, nextAt } = readProgress(claimed);
  const spacing = spacingOf(operation, { now, nextAt }, { most: STEP_RUNS, random });
  if (spacing.room === 0) return { id: operation.id, restMs: SPACED_REST_MS };
  const { ids, skipped, isLast, ...selected } = await select(broker, claimed, { room: spacing.room, after });
  const dueAts = spacing.dueAts(ids.length);
  const progress = JSON.stringify({ after: selected.after, nextAt: spacing.nextAt(ids.length) });
  const runAts = new Map(dueAts.map((dueAt, index) => [ids[index] ?? '', dueAt]));
  await stepOperation(broker, claimed, { ids, skipped, isLast, progress, runAts });
  return { id: operation.id, restMs: isLast || dueAts.length === 0 ? REST_MS : SPACED_REST_MS };
}

function readProgress({ progress }: ClaimedOperation): Progress {
  return progress === undefined ? {} : (JSON.parse(progress) as Progress); // what the step before wrote
}

interface Place {
  readonly room: number;
  readonly after: string | number | undefined;
}

async function select(broker: Broker, claimed: ClaimedOperation, { room, after }: Place): Promise<Selected> {
  const { operation, ids } = claimed;
  const { ids: _, state, ...query } = operation.filter;
  if (ids !== undefined) {
    const from = typeof after === 'number' ? after : 0;
    const some = await readOperationIds(broker, claimed, { from, most: room });
    const part = await eligibleOf(broker, operation, some);
    const end = from + part.read;
    // Where the ids are gone, the operation has just been ended by others, and accepts no step.
    return { ...part, after: end, isLast: end >= ids || part.read === 0 };
  }
  const asked: ListQuery = { ...listedBy(query), state, disposable: 'omit', payloads: 'omit', limit: room };
  const page = await broker.list(typeof after === 'string' ? { ...asked, after } : asked);
  const letters = page.runs.filter(matchesListed(query));
  const taken = letters.filter((run) => isRedrivable(operation, run)).map((run) => run.id);
  const skipped = letters.length - taken.length;
  return { ids: taken, skipped, after: page.next, isLast: page.next === undefined };
}

/** Returns those of the first of these ids that have attempts left, and how many were read. */
async function eligibleOf(
  broker: Broker,
  operation: Operation,
  ids: readonly string[],
): Promise<{ readonly ids: readonly string[]; readonly skipped: number; readonly read: number }> {
  if (operation.keepAttempts !== true) return { ids, skipped: 0, read: ids.length };
  const reader = createRunReader(broker);
  const part = ids.slice(0, reader.size());
  const runs = await reader.read(part);
  // Unknown runs are answered `gone`, and counted there.
  const taken = part.filter((_, index) => runs[index] === undefined || isRedrivable(operation, runs[index]));
  return { ids: taken, skipped: part.length - taken.length, read: part.length };
}

/** With `keepAttempts`, a run without attempts left would get one more than its policy allows. */
function isRedrivable({ keepAttempts, maxAttempts = Infinity }: Operation, run: Run): boolean {
  return keepAttempts !== true || hasAttemptsLeft(run, { maxAttempts, retryable: maxAttempts > 0 });
}
