import type { Broker } from '../../broker.ts';
import type { Change, ChangeAnswer } from '../../change.ts';
import type { Notes } from '../../notes.ts';
import type { Operation, OperationClaim } from '../../operation.ts';
import { readCall } from '../check/check-findings.ts';
import { readNote } from '../notes.ts';
import type { Decided } from '../operate/change-runs.ts';
import { decideDiscard, decideRedrive } from '../operate/redrive-runs.ts';
import { checkOperationClaim } from './check-operation.ts';
import type { NotesBroker } from './keep-operations.ts';
import { countOf, findOperation, idsDeleted, readOperations } from './keep-operations.ts';
import type { KeptOperation } from './kept-operation.ts';
import {
  besideKey,
  hasEnded,
  OPERATION_PREFIX,
  operationKey,
  operationOf,
  writeOperation,
} from './kept-operation.ts';
import { IDS_OF_A_NOTE, idsKey, readIds } from './operation-ids.ts';
import type { StepFigures } from './operation-rules.ts';
import { carriedBy, freeOperation, isHeldLong, steppedBy } from './operation-rules.ts';

/** An operation that a carrier may make a step of. */
export interface ClaimedOperation {
  readonly operation: Operation;
  /** What the latest step left as its `progress`; absent before the first one. */
  readonly progress?: string;
  /** How many ids its filter has; absent where it has none. `readOperationIds` reads them. */
  readonly ids?: number;
  /** The broker's clock, in epoch milliseconds. */
  readonly now: number;
  /** The note as the carrier holds it, and its version: a step is accepted while it is that. */
  readonly kept: KeptOperation;
  readonly version: number;
}

/** What a step of an operation takes. */
export interface OperationStep extends Pick<StepFigures, 'progress' | 'isLast'> {
  /** The runs that are redriven or discarded; at most 500. */
  readonly ids: readonly string[];
  /** When they are to start at the earliest, by id, in epoch milliseconds by the broker's clock. @default now, for all */
  readonly runAts?: ReadonlyMap<string, number>;
  /** How many more runs were passed over; an integer ≥ 0. */
  readonly skipped: number;
}

/** How often a claim is tried that another carrier makes at the same time. */
const MAX_CLAIMS = 10;

/** How often a step is tried without the runs that have changed meanwhile. */
const MAX_TRIES = 10;

/**
 * Gives the oldest running operation that no other carrier holds to this one, for `leaseMs` by the broker's clock. Asked again by the same
 * carrier, it extends the lease, unless more than half of it is left: each step extends it, too.
 *
 * @returns `undefined` when there is none
 * @throws {InvalidOptionsError} for a carrier or a lease that cannot be
 */
export async function claimOperation(
  { notes }: NotesBroker,
  claim: OperationClaim,
): Promise<ClaimedOperation | undefined> {
  readCall(checkOperationClaim, claim);
  for (let tries = 1; tries <= MAX_CLAIMS; tries += 1) {
    const { all, now } = await readFor(claim, { notes });
    const free = freeOperation(all, claim, now);
    if (free === undefined) return undefined;
    const kept = carriedBy(free.kept, claim, now);
    const claimed = { ...claimedOf(kept), operation: operationOf({ ...free, kept }, 0), kept, now };
    const { version } = free.note;
    if (isHeldLong(free.kept, claim, now)) return { ...claimed, version };
    const key = operationKey(free.id);
    const written = await notes.write([{ key, seen: version, value: writeOperation(kept) }]);
    if (written.outcome === 'written') return { ...claimed, version: written.versions[0] ?? 0 };
  }
  return undefined;
}

async function readFor({ id }: OperationClaim, { notes }: NotesBroker) {
  if (id === undefined) return readUnended(notes);
  const { found, now } = await findOperation(notes, id);
  return { all: found === undefined ? [] : [found], now };
}

/** The version of the note that every put of an operation writes, when all had ended: until it changes there is none to carry on. */
const versionWhenEnded = new WeakMap<Notes, number>();

/** Reads all operations, or, where all had ended before, one note: workers ask every few seconds, and the latest ones are kept. */
async function readUnended(notes: Notes) {
  const known = versionWhenEnded.get(notes);
  if (known !== undefined) {
    const { note, now } = await readNote(notes, OPERATION_PREFIX);
    if ((note?.version ?? 0) === known) return { all: [], now };
  }
  const { found, latest, now } = await readOperations(notes);
  if (found.every(({ kept }) => hasEnded(kept))) versionWhenEnded.set(notes, latest);
  else versionWhenEnded.delete(notes);
  return { all: found, now };
}

function claimedOf({ progress, ids }: KeptOperation): Pick<ClaimedOperation, 'progress' | 'ids'> {
  return { ...(progress !== undefined && { progress }), ...(ids !== undefined && { ids }) };
}

/** Reads some ids of the filter of an operation: those from one index on, at most so many. */
export async function readOperationIds(
  { notes }: NotesBroker,
  { operation, ids = 0 }: Pick<ClaimedOperation, 'operation' | 'ids'>,
  { from, most }: { readonly from: number; readonly most: number },
): Promise<readonly string[]> {
  const end = Math.min(ids, from + most);
  const found: string[] = [];
  const first = Math.floor(from / IDS_OF_A_NOTE);
  for (let part = first; part * IDS_OF_A_NOTE < end; part += 1) {
    const { note } = await readNote(notes, idsKey(operation.id, part));
    found.push(...readIds(note?.value ?? ''));
  }
  const skipped = first * IDS_OF_A_NOTE;
  return found.slice(from - skipped, end - skipped);
}

/** What steps of operations work with. */
type StepBroker = Pick<Broker, 'notes' | 'get' | 'change'>;

/**
 * Makes a step of an operation: redrives or discards runs, and counts them in the same write. It is accepted once, while the operation is
 * running and nobody else has claimed it. Runs that are no dead letters any longer, or that have ended since the plan, are passed over,
 * and those that change while the step is made, too.
 *
 * Runs that are kept elsewhere than the note of the operation are moved first, and are counted there. A step that ends in between is made
 * again, and finds what it has moved no longer among the dead letters.
 *
 * @returns `fenced`: it was not accepted, or not all of it. Claim the operation again.
 */
export async function stepOperation(
  broker: StepBroker,
  claimed: ClaimedOperation,
  step: OperationStep,
): Promise<'made' | 'fenced'> {
  const placed = await decideStep(broker, claimed, step);
  const { '': own = [], ...others } = placed;
  const elsewhere = Object.entries(others);
  const held = await holdFor(broker, claimed, Object.keys(others));
  if (held === undefined) return 'fenced';
  const id = claimed.operation.id;
  const moved = await Promise.all(
    elsewhere.map(([beside, changes]) => moveBeside(broker, besideKey(beside, id), changes)),
  );
  let done = 0;
  for (const one of moved) {
    if (one === undefined) return 'fenced';
    done += one;
  }
  return moveOwn(broker, held, { own, step, elsewhere: done });
}

/** The changes of a step, by what the keys of notes begin with that can be written with them. */
type PlacedChanges = Readonly<Record<string, readonly Change[]>>;

async function decideStep(
  { get }: StepBroker,
  { operation }: ClaimedOperation,
  { ids, runAts }: OperationStep,
): Promise<PlacedChanges> {
  const { kind, keepAttempts = false, filter } = operation;
  const { endedBefore } = filter;
  const { now, runs } = await get([...new Set(ids)], { answer: 'seen' });
  const placed: Record<string, Change[]> = {};
  for (const one of runs) {
    if (one === undefined) continue;
    const { run, seen, beside = '' } = one;
    const at = { runAt: runAts?.get(run.id) ?? now, at: now };
    const { next }: Decided<string> =
      kind === 'discard'
        ? decideDiscard(one, { endedBefore })
        : decideRedrive(one, { keepAttempts, endedBefore, ...at });
    if (next === undefined) continue;
    placed[beside] ??= [];
    placed[beside].push({ id: run.id, seen, next });
  }
  return placed;
}

/**
 * Looks whether the carrier still holds the operation, before runs are moved that are kept elsewhere: their notes do not know of a pause or
 * another claim. Writes where there are such notes.
 */
async function holdFor(
  { notes }: StepBroker,
  claimed: ClaimedOperation,
  besides: readonly string[],
): Promise<ClaimedOperation | undefined> {
  if (besides.length === 0) return claimed;
  const { operation, kept, version } = claimed;
  const known = kept.besides ?? [];
  const missing = besides.filter((one) => !known.includes(one));
  const key = operationKey(operation.id);
  if (missing.length === 0)
    return (await readNote(notes, key)).note?.version === version ? claimed : undefined;
  const next = { ...kept, besides: [...known, ...missing] };
  const written = await notes.write([{ key, seen: version, value: writeOperation(next) }]);
  return written.outcome === 'written'
    ? { ...claimed, kept: next, version: written.versions[0] ?? 0 }
    : undefined;
}

/** Moves runs and counts them in a note beside them. @returns how many; `undefined`: another carrier does so */
async function moveBeside(
  broker: StepBroker,
  key: string,
  changes: readonly Change[],
): Promise<number | undefined> {
  let left = changes;
  for (let tries = 1; tries <= MAX_TRIES && left.length > 0; tries += 1) {
    const { note } = await readNote(broker.notes, key);
    const count = countOf(note?.value) + left.length;
    const answers = await broker.change(left, {
      notes: [{ key, seen: note?.version ?? 0, value: `${count}` }],
    });
    if (answers === 'fenced') return undefined;
    if (areDone(answers)) return left.length;
    left = left.filter((_, index) => answers[index] === 'done');
  }
  return left.length === 0 ? 0 : undefined;
}

interface OwnStep {
  readonly own: readonly Change[];
  readonly step: OperationStep;
  /** How many were moved elsewhere. */
  readonly elsewhere: number;
}

/** Moves the runs that can be written with the note of the operation, and writes that. */
async function moveOwn(
  broker: StepBroker,
  { operation, kept, version }: ClaimedOperation,
  { own, step, elsewhere }: OwnStep,
): Promise<'made' | 'fenced'> {
  const { id } = operation;
  const { ids, progress, isLast } = step;
  let left = own;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const skipped = step.skipped + ids.length - elsewhere - left.length;
    const next = steppedBy(kept, { done: left.length, skipped, progress, isLast });
    const notes = [
      { key: operationKey(id), seen: version, value: writeOperation(next) },
      ...(isLast ? idsDeleted({ id, kept }) : []),
    ];
    const answers = await broker.change(left, { notes });
    if (answers === 'fenced') return 'fenced';
    if (areDone(answers)) return 'made';
    left = left.filter((_, index) => answers[index] === 'done');
  }
  return 'fenced';
}

function areDone(answers: readonly ChangeAnswer[]): boolean {
  return answers.every((answer) => answer === 'done');
}
