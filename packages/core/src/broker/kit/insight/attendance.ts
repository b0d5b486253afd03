import { hashText } from '../../../failures/hash-text.ts';
import type { Attendance, LaneDepth } from '../../broker.ts';
import type { LaneFlow, LiveWorker, WorkerFacts, WorkerFlow } from '../../insight/workers.ts';
import type { Note, Notes } from '../../notes.ts';
import { readNotes } from '../notes.ts';
import { compareText } from '../storable/texts.ts';

/** The notes of workers: `worker/`, the name, `/`, and the number of a piece in four digits. */
const PREFIX = 'worker/';

/** A piece of what is kept of a worker: of 16 000 characters, each of which has at most four bytes. */
const PIECE = /.{1,16000}/gsu;

/** Where attendance gets its parts from. */
export interface AttendanceSource {
  readonly notes: Notes;
  /** Lanes with runs that wait, perhaps others. */
  readonly names: () => Promise<Iterable<string>>;
  /** How many runs wait in each of these lanes; one without any may be left out. */
  readonly depths: (lanes: readonly string[]) => Promise<readonly LaneDepth[]>;
}

/** What is kept of a worker, besides its name and its times. */
interface Kept {
  readonly lanes: readonly string[];
  readonly facts: string;
}

/**
 * Registers a live worker, if one is given, and returns the lanes that have waiting runs but no live worker. Workers are read only where
 * runs wait in a lane of others, and after these lanes: one that comes meanwhile counts.
 */
export async function attendBy(
  { notes, names, depths }: AttendanceSource,
  attendance?: Attendance,
): Promise<readonly LaneDepth[]> {
  if (attendance !== undefined) await register(notes, attendance);
  const left = new Set(await names());
  if (attendance !== undefined && attendance.ttlMs > 0)
    for (const lane of attendance.lanes) left.delete(lane);
  if (left.size === 0) return [];
  for (const { lanes } of await listWorkers({ notes })) for (const lane of lanes) left.delete(lane);
  if (left.size === 0) return [];
  return (await depths([...left])).filter(({ waiting }) => waiting > 0);
}

/** Returns the workers whose registration has not lapsed, by name. */
export async function listWorkers({ notes }: { readonly notes: Notes }): Promise<readonly LiveWorker[]> {
  const byWorker = new Map<string, Note[]>();
  for (const note of await readNotes(notes, PREFIX)) {
    const worker = workerOf(note);
    byWorker.set(worker, [...(byWorker.get(worker) ?? []), note]);
  }
  const workers: LiveWorker[] = [];
  for (const [worker, pieces] of byWorker) {
    // One that has registered between two pages is read once more, on one page.
    const found = toWorker(worker, pieces) ?? toWorker(worker, await readNotes(notes, keyOf(worker, '')));
    if (found !== undefined) workers.push(found);
  }
  return workers.sort((left, right) => compareText(left.worker, right.worker));
}

async function register(notes: Notes, { worker, lanes, ttlMs, facts }: Attendance): Promise<void> {
  if (!(ttlMs > 0)) {
    await notes.write([{ key: keyOf(worker, numberOf(0)), value: null }]);
    return;
  }
  const kept: Kept = { lanes, facts: writeFacts(facts) };
  const text = JSON.stringify(kept);
  const pieces = text.match(PIECE) ?? [];
  const head = `${pieces.length} ${pieces.length > 1 ? hashText(text) : '-'} `;
  await notes.write(
    pieces.map((piece, index) => ({ key: keyOf(worker, numberOf(index)), value: head + piece, ttlMs })),
  );
}

/** Returns a worker of its pieces; `undefined` when they are not those of one registration, or of another program. */
function toWorker(worker: string, pieces: readonly Note[]): LiveWorker | undefined {
  const [first] = pieces;
  if (first?.key !== keyOf(worker, numberOf(0))) return undefined;
  const head = /^(\d+) \S+ /.exec(first.value);
  if (head === null) return undefined;
  const own = pieces.slice(0, Number(head[1]));
  if (own.length < Number(head[1]) || own.some(({ value }) => !value.startsWith(head[0]))) return undefined;
  const kept = readKept(own.map(({ value }) => value.slice(head[0].length)).join(''));
  if (kept === undefined) return undefined;
  const facts = readFacts(kept.facts);
  return {
    ...{ worker, lanes: kept.lanes, attendedAt: first.writtenAt, aliveUntil: first.expiresAt ?? Infinity },
    ...(facts !== undefined && { facts }),
  };
}

function readKept(text: string): Kept | undefined {
  try {
    const { lanes, facts } = JSON.parse(text) as Partial<Kept>; // each is checked here
    if (!Array.isArray(lanes) || !lanes.every((lane) => typeof lane === 'string')) return undefined;
    return typeof facts === 'string' ? { lanes, facts } : undefined;
  } catch {
    return undefined;
  }
}

function keyOf(worker: string, number: string): string {
  return `${PREFIX}${worker}/${number}`;
}

function numberOf(index: number): string {
  return String(index).padStart(4, '0');
}

function workerOf({ key }: Note): string {
  return key.slice(PREFIX.length, key.lastIndexOf('/'));
}

/** Returns the facts of a worker as text, as brokers keep them; empty without any. */
function writeFacts(facts: WorkerFacts | undefined): string {
  return facts === undefined ? '' : JSON.stringify(facts);
}

/** Returns the facts of a text; `undefined` when it has none, or was written by another program. */
function readFacts(text: string): WorkerFacts | undefined {
  if (text === '') return undefined;
  try {
    const facts: unknown = JSON.parse(text);
    return isFacts(facts) ? facts : undefined;
  } catch {
    return undefined;
  }
}

function isFacts(value: unknown): value is WorkerFacts {
  if (typeof value !== 'object' || value === null) return false;
  const { slots, slotsTaken, leases, flow } = value as Partial<WorkerFacts>; // each is checked here
  if (![slots, slotsTaken, leases].every(isNumber)) return false;
  return flow === undefined || isFlow(flow);
}

function isFlow({ windowMs, lanes }: Partial<WorkerFlow>): boolean {
  return isNumber(windowMs) && Array.isArray(lanes) && lanes.every(isLaneFlow);
}

function isLaneFlow({ lane, starts, retries, ends, maxLatenessMs }: Partial<LaneFlow>): boolean {
  return typeof lane === 'string' && [starts, retries, ends, maxLatenessMs].every(isNumber);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}
