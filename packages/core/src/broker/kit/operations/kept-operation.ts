import type { Note } from '../../notes.ts';
import type { Operation, OperationRequest, OperationState } from '../../operation.ts';
import { checkOperation } from './check-operation.ts';

/** What the keys of the notes of operations begin with. The note of this very key is written by each that puts a new one. */
export const OPERATION_PREFIX = 'operation/';

/** The value of the note of an operation, which says nothing of when it was written: the note does. */
export interface KeptOperation {
  /** What was asked for, without the ids of its filter. */
  readonly request: OperationRequest;
  /** How many ids its filter has; absent where it has none. They are in notes of their own until the operation ends. */
  readonly ids?: number;
  readonly state: OperationState;
  readonly createdAt: number;
  /** Runs that were moved by the steps in whose write this note was. */
  readonly done: number;
  readonly skipped: number;
  readonly carrier?: string;
  readonly carriedUntil?: number;
  /** Where the next step begins. */
  readonly progress?: string;
  /** Beside which runs there are more notes, each with the number of those that were moved there: see `SeenRun.beside`. */
  readonly besides?: readonly string[];
}

/** An operation in the note that was read. */
export interface FoundOperation {
  readonly id: string;
  readonly kept: KeptOperation;
  readonly note: Pick<Note, 'version' | 'writtenAt'>;
}

/** Returns the key of the note of an operation. */
export function operationKey(id: string): string {
  return `${OPERATION_PREFIX}${id}`;
}

/** Returns the key of the note that counts what was moved beside some runs. */
export function besideKey(beside: string, id: string): string {
  return `${beside}${operationKey(id)}`;
}

/** Returns the text of a note. */
export function writeOperation(kept: KeptOperation): string {
  return JSON.stringify(kept);
}

/** Reads a note. Returns `undefined` for what none of us has written: one wrong operation must not stop the others. */
export function readOperation({ key, value, version, writtenAt }: Note): FoundOperation | undefined {
  const id = key.slice(OPERATION_PREFIX.length);
  try {
    const kept: KeptOperation = JSON.parse(value);
    checkOperation(kept.request);
    if (kept.request.id !== id || !isKept(kept)) return undefined;
    return { id, kept, note: { version, writtenAt } };
  } catch {
    return undefined;
  }
}

const STATES = {
  running: true,
  paused: true,
  cancelled: true,
  done: true,
} as const satisfies Record<OperationState, true>;

function isKept({ state, createdAt, done, skipped, ids, carriedUntil, progress, besides }: KeptOperation) {
  return (
    Object.hasOwn(STATES, state) &&
    [createdAt, done, skipped, ids ?? 0, carriedUntil ?? 0].every(Number.isFinite) &&
    typeof (progress ?? '') === 'string' &&
    (besides === undefined || (Array.isArray(besides) && besides.every((one) => typeof one === 'string')))
  );
}

/** Whether it is done or cancelled: its note is not written again. */
export function hasEnded({ state }: Pick<KeptOperation, 'state'>): boolean {
  return state === 'done' || state === 'cancelled';
}

/**
 * Returns an operation as people see it. What the plan counted and a step never saw had changed before, so it counts as skipped once an
 * exact plan is done.
 *
 * @param elsewhere - how many runs were moved by other writes than those of its note
 */
export function operationOf({ kept, note }: FoundOperation, elsewhere: number): Operation {
  const { request, state, createdAt, carrier, carriedUntil } = kept;
  const done = kept.done + elsewhere;
  const isWhole = state === 'done' && request.isPlanExact;
  return {
    ...request,
    ...{ state, createdAt, done, updatedAt: note.writtenAt },
    skipped: isWhole ? Math.max(kept.skipped, request.planned - done) : kept.skipped,
    ...(hasEnded(kept) && { endedAt: note.writtenAt }),
    ...(carrier !== undefined && { carrier }),
    ...(carriedUntil !== undefined && { carriedUntil }),
  };
}

/** How many ids one note has: an id has at most 512 bytes, and its length takes four more. */
export const IDS_OF_A_NOTE = 125;

/** Returns the key of a note that has ids of an operation's filter. @param part - its number, from 0 */
export function idsKey(id: string, part: number): string {
  return `operation-ids/${id}/${part}`;
}

/** Returns the keys of all notes that have the ids of an operation's filter. */
export function idsKeys(id: string, count: number): readonly string[] {
  return Array.from({ length: Math.ceil(count / IDS_OF_A_NOTE) }, (_, part) => idsKey(id, part));
}

/** Returns the texts of the notes that have these ids, 125 in each. */
export function writeIds(ids: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (let from = 0; from < ids.length; from += IDS_OF_A_NOTE)
    texts.push(
      ids
        .slice(from, from + IDS_OF_A_NOTE)
        .map((id) => `${id.length}:${id}`)
        .join(''),
    );
  return texts;
}

/** Returns the ids of such a text. */
export function readIds(text: string): readonly string[] {
  const ids: string[] = [];
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const from = colon + 1;
    const end = from + Number(text.slice(at, colon));
    if (colon < 0 || !(end > from)) return ids; // written by another program
    ids.push(text.slice(from, end));
    at = end;
  }
  return ids;
}
