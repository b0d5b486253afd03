import type { Notes } from '../../notes.ts';
import type { Operation, OperationClaim } from '../../operation.ts';
import { readCall } from '../check/check-findings.ts';
import { readNote } from '../notes.ts';
import { checkOperationClaim } from './check-operation.ts';
import type { NotesBroker } from './keep-operations.ts';
import { findOperation, readOperations } from './keep-operations.ts';
import type { KeptOperation } from './kept-operation.ts';
import {
  hasEnded,
  IDS_OF_A_NOTE,
  idsKey,
  OPERATION_PREFIX,
  operationKey,
  operationOf,
  readIds,
  writeOperation,
} from './kept-operation.ts';
import { carriedBy, freeOperation, isHeldLong } from './operation-rules.ts';

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

/** How often a claim is tried that another carrier makes at the same time. */
const MAX_CLAIMS = 10;

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

/** Reads some ids of the filter of an operation: at most `most` of them, from one index on. */
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
