import type { Broker } from '../../broker.ts';
import { BrokerError } from '../../broker.ts';
import type { Note, Notes, NoteWrite } from '../../notes.ts';
import type { Operation, OperationChange, OperationChangeAnswer, OperationRequest } from '../../operation.ts';
import { readCall } from '../check/check-findings.ts';
import { readNote, readNotes, readNotesAt } from '../notes.ts';
import { checkOperation, checkOperationChange, checkOperationId } from './check-operation.ts';
import type { FoundOperation } from './kept-operation.ts';
import {
  besideKey,
  hasEnded,
  idsKeys,
  OPERATION_PREFIX,
  operationKey,
  operationOf,
  readOperation,
  writeIds,
  writeOperation,
} from './kept-operation.ts';
import { changedTo, listedOperations, MAX_OPERATIONS, newOperation } from './operation-rules.ts';

/** What operations are made of. */
export type NotesBroker = Pick<Broker, 'notes'>;

/** How often notes are read that others have written each time before they could be. */
const MAX_READINGS = 200;

/** The most notes that one write deletes, which has the ids of an operation, too. */
const FORGOTTEN_AT_ONCE = 300;

/**
 * Keeps a new operation, which is then `running`, and forgets those that ended first, beyond the number that is kept. A known id is not
 * kept again.
 *
 * @returns `full`: there are 100 operations already that have not ended
 * @throws {InvalidOptionsError} for an operation that cannot be kept
 */
export async function putOperation(
  { notes }: NotesBroker,
  request: OperationRequest,
): Promise<'created' | 'exists' | 'full'> {
  readCall(checkOperation, request);
  const { id, filter } = request;
  return untilWritten(async () => {
    const { found, others, latest, now } = await readOperations(notes);
    const key = operationKey(id);
    if (found.some((one) => one.id === id) || others.some((note) => note.key === key)) return 'exists';
    if (found.filter(({ kept }) => !hasEnded(kept)).length >= MAX_OPERATIONS) return 'full';
    const texts = writeIds(filter.ids ?? []);
    const keys = idsKeys(id, filter.ids?.length ?? 0);
    const isWritten = await areWritten(notes, [
      // Of two that put operations at the same time, one does so after it has seen that of the other.
      { key: OPERATION_PREFIX, seen: latest, value: id },
      { key, seen: 0, value: writeOperation(newOperation(request, now)) },
      ...keys.map((one, part) => ({ key: one, value: texts[part] ?? null })),
      ...(await forgetWrites(notes, found, others)),
    ]);
    return isWritten ? 'created' : undefined;
  });
}

/** Returns all operations that have not ended and the latest 100 others, newest first. */
export async function listOperations({ notes }: NotesBroker): Promise<readonly Operation[]> {
  const listed = listedOperations((await readOperations(notes)).found);
  const besides = new Set(listed.flatMap(({ kept }) => kept.besides ?? []));
  const counts = new Map<string, number>();
  for (const beside of besides)
    for (const { key, value } of await readNotes(notes, besideKey(beside, ''))) {
      const id = key.slice(besideKey(beside, '').length);
      counts.set(id, (counts.get(id) ?? 0) + countOf(value));
    }
  return listed.map((one) => operationOf(one, counts.get(one.id) ?? 0));
}

/** Returns an operation; `undefined` when it is not kept. @throws {InvalidOptionsError} for an id that none can have */
export async function getOperation({ notes }: NotesBroker, id: string): Promise<Operation | undefined> {
  readCall(checkOperationId, id);
  const { found } = await findOperation(notes, id);
  return found && operationOf(found, await movedElsewhere(notes, found));
}

/**
 * Pauses, resumes or cancels an operation. `refused`: it has ended. From the answer on, no step of a claim before is accepted.
 *
 * @throws {InvalidOptionsError} for an id or a state that no operation can have
 */
export async function changeOperation(
  { notes }: NotesBroker,
  id: string,
  to: OperationChange,
): Promise<OperationChangeAnswer> {
  readCall(checkOperationChange, { id, to });
  return untilWritten(async () => {
    const { found } = await findOperation(notes, id);
    if (found === undefined) return 'gone';
    const next = changedTo(found.kept, to);
    if (next === undefined) return 'refused';
    const value = writeOperation(next);
    const isWritten = await areWritten(notes, [
      { key: operationKey(id), seen: found.note.version, value },
      ...(hasEnded(next) ? idsDeleted(found) : []),
    ]);
    return isWritten ? 'changed' : undefined;
  });
}

/** All operations that are kept, and what else is among their notes. */
interface OperationsRead {
  readonly found: readonly FoundOperation[];
  /** Notes that cannot be read. */
  readonly others: readonly Note[];
  /** The version of the note that every put writes; 0: there is none. */
  readonly latest: number;
  /** The broker's clock. */
  readonly now: number;
}

/** Reads all operations. */
export async function readOperations(notes: Notes): Promise<OperationsRead> {
  const found: FoundOperation[] = [];
  const others: Note[] = [];
  let latest = 0;
  const { notes: all, now } = await readNotesAt(notes, OPERATION_PREFIX);
  for (const note of all) {
    const one = readOperation(note);
    if (note.key === OPERATION_PREFIX) latest = note.version;
    else if (one === undefined) others.push(note);
    else found.push(one);
  }
  return { found, others, latest, now };
}

/** Reads one operation. */
export async function findOperation(
  notes: Notes,
  id: string,
): Promise<{ readonly found: FoundOperation | undefined; readonly now: number }> {
  const { note, now } = await readNote(notes, operationKey(id));
  return { found: note && readOperation(note), now };
}

/** Returns the writes by which the ids of an operation's filter go: no step reads them once it has ended. */
export function idsDeleted({ id, kept }: Pick<FoundOperation, 'id' | 'kept'>): readonly NoteWrite[] {
  return idsKeys(id, kept.ids ?? 0).map((key) => ({ key, value: null }));
}

/** Returns how many runs the note says that were moved beside others. */
export function countOf(value: string | undefined): number {
  const count = Number(value ?? 0);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

async function movedElsewhere(notes: Notes, { id, kept }: FoundOperation): Promise<number> {
  let sum = 0;
  for (const beside of kept.besides ?? [])
    sum += countOf((await readNote(notes, besideKey(beside, id))).note?.value);
  return sum;
}

/**
 * Returns the writes that delete what has ended, beyond the number that is kept, and notes that cannot be read. What was counted beside
 * other runs is deleted before, as no write deletes both.
 */
async function forgetWrites(
  notes: Notes,
  found: readonly FoundOperation[],
  others: readonly Note[],
): Promise<readonly NoteWrite[]> {
  const listed = new Set(listedOperations(found));
  const gone = found.filter((one) => !listed.has(one));
  for (const { id, kept } of gone)
    for (const beside of kept.besides ?? []) await notes.write([{ key: besideKey(beside, id), value: null }]);
  return [
    ...gone.map(({ id, note }) => ({ key: operationKey(id), seen: note.version, value: null })),
    ...others.map(({ key, version }) => ({ key, seen: version, value: null })),
  ].slice(0, FORGOTTEN_AT_ONCE);
}

async function areWritten(notes: Notes, writes: readonly NoteWrite[]): Promise<boolean> {
  return (await notes.write(writes)).outcome === 'written';
}

/** Reads, decides and writes again until nobody else has written in between. */
async function untilWritten<Answer>(attempt: () => Promise<Answer | undefined>): Promise<Answer> {
  for (let readings = 1; readings <= MAX_READINGS; readings += 1) {
    const answer = await attempt();
    if (answer !== undefined) return answer;
  }
  const message = `other processes wrote the same notes ${MAX_READINGS} times in between. Try again.`;
  throw new BrokerError('NOTES_BUSY', message);
}
