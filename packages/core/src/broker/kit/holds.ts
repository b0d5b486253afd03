import type { Problem } from '../../errors.ts';
import { optional } from '../../fields/check-arguments.ts';
import type { Broker } from '../broker.ts';
import type { Hold, HoldRequest, HoldSource, ResumeAnswer, ResumeRequest } from '../hold.ts';
import type { Note, NoteWrite } from '../notes.ts';
import { MAX_NOTE_WRITES } from '../notes.ts';
import { check, findInEach, readCall } from './check/check-findings.ts';
import type { FieldRules } from './check/field-rules.ts';
import { FLAG, findWrongFields, NUMBER_OR_NONE, oneOf } from './check/field-rules.ts';
import { endOf, readNote, readNotes } from './notes.ts';
import { keepableMs } from './storable/instants.ts';
import { compareText, textProblem } from './storable/texts.ts';

/** What the keys of the notes of holds begin with: the source, `/`, and the lane follow, or no lane for all of them. */
export const HOLD_PREFIX = 'hold/';

/** Who puts lanes on hold. */
export const HOLD_SOURCES: readonly HoldSource[] = ['operator', 'handler', 'circuit-breaker'];

/** The key of the note of a hold. */
export function holdKey({ lane = '', source }: Pick<Hold, 'lane' | 'source'>): string {
  return `${HOLD_PREFIX}${source}/${lane}`;
}

/** Returns which lane a note holds, `''` for all lanes; `undefined` for a note of anything else. */
export function heldLane(key: string): string | undefined {
  const source = sourceOf(key);
  return source && key.slice(holdKey({ source }).length);
}

function sourceOf(key: string): HoldSource | undefined {
  if (!key.startsWith(HOLD_PREFIX)) return undefined;
  return HOLD_SOURCES.find((source) => key.startsWith(holdKey({ source })));
}

/** Returns the note that puts a lane on hold. */
export function writeHold({ lane, source, reason, by, until, forMs, probeMs }: HoldRequest): NoteWrite {
  const ends = until ?? (forMs === undefined ? undefined : 1);
  return {
    key: holdKey({ source, ...(lane !== undefined && { lane }) }),
    value: JSON.stringify({ reason, by }),
    ...(ends !== undefined && { expiresAt: Math.max(1, keepableMs(ends)) }),
    ...(forMs !== undefined && forMs > 0 && { ttlMs: keepableMs(forMs) }),
    ...(probeMs !== undefined && { probeMs }),
  };
}

/** Returns the hold of a note; `undefined` for one that another program wrote. */
export function readHold({ key, value, writtenAt, expiresAt, probeMs }: Note): Hold | undefined {
  const lane = heldLane(key);
  const source = sourceOf(key);
  if (lane === undefined || source === undefined) return undefined;
  return {
    ...(lane !== '' && { lane }),
    source,
    ...readReason(value),
    heldAt: writtenAt,
    ...(expiresAt !== undefined && { until: expiresAt }),
    ...(probeMs !== undefined && { probeMs }),
  };
}

function readReason(text: string): Pick<Hold, 'reason' | 'by'> {
  try {
    const { reason, by }: Readonly<Record<string, unknown>> = JSON.parse(text) ?? {};
    return { ...(typeof reason === 'string' && { reason }), ...(typeof by === 'string' && { by }) };
  } catch {
    return {}; // written by another program
  }
}

/** Returns whether a hold keeps the runs of its lane from being started. One that probes, and does not, lets a run through. */
export function isHoldActive({ expiresAt = Infinity }: Pick<Note, 'expiresAt'>, now: number): boolean {
  return expiresAt > now;
}

const NONE: readonly Note[] = [];

/** Returns the notes that may hold a lane: of the lane, and of all lanes. @param notes - by key, those of holds at least */
export function holdsOn(notes: ReadonlyMap<string, Note>, lane: string): readonly Note[] {
  if (notes.size === 0) return NONE;
  const keys = HOLD_SOURCES.flatMap((source) => [holdKey({ source }), holdKey({ lane, source })]);
  return keys.flatMap((key) => notes.get(key) ?? NONE);
}

/** Returns until when no run of a lane with these holds may start: 0 when it may now, `Infinity` when the lane has to be resumed. */
export function heldUntil(holds: readonly Note[], now: number): number {
  let latest = 0;
  for (const hold of holds)
    if (isHoldActive(hold, now)) latest = Math.max(latest, hold.expiresAt ?? Infinity);
  return latest;
}

/** How many runs of a lane a claim may start: any number, one that probes, or none. */
type Passage = 'open' | 'probe' | 'closed';

/** Returns which runs of a lane with these holds a claim may start. */
export function passageOf(holds: readonly Note[], now: number): Passage {
  if (heldUntil(holds, now) > now) return 'closed';
  return holds.some(({ probeMs }) => probeMs !== undefined) ? 'probe' : 'open';
}

/**
 * Returns when a claim gets more of a lane by time alone: when its next scheduled run is due, or its hold ends; `Infinity` when neither
 * comes. What is due while the lane is on hold does not count before the hold ends.
 */
export function nextWorkAt(
  lane: { readonly heldUntil: number; readonly dueAt: number; readonly isReady: boolean },
  now: number,
): number {
  if (lane.heldUntil <= now) return lane.dueAt;
  return lane.isReady ? lane.heldUntil : Math.max(lane.heldUntil, lane.dueAt);
}

/** Returns the note of a hold that has just let a run through: it probes again `probeMs` from now. */
export function probedHold(note: Note, now: number): Note {
  return note.probeMs === undefined ? note : { ...note, expiresAt: keepableMs(now + note.probeMs) };
}

/** Compares holds by the order in which they are listed: by lane and source, those of all lanes first. */
export function compareHolds(left: Hold, right: Hold): number {
  return compareText(left.lane ?? '', right.lane ?? '') || compareText(left.source, right.source);
}

/** What holds are made of. */
type NotesBroker = Pick<Broker, 'notes'>;

/** How many requests end the holds of one write. */
const RESUMED_TOGETHER = Math.floor(MAX_NOTE_WRITES / HOLD_SOURCES.length);

/**
 * Puts lanes on hold: from the answer on no claim starts a run of theirs. Started runs keep running, waiting ones keep
 * their places, and nothing is charged. A hold replaces the one of the same lane and source, unless that ends later and
 * `keepLonger` is set. Holds end by the broker's clock.
 *
 * @throws {InvalidOptionsError} for a hold that no lane can have
 */
export async function holdLanes(broker: NotesBroker, requests: readonly HoldRequest[]): Promise<void> {
  readCall(checkHolds, requests);
  const writes = new Map<string, NoteWrite>();
  const flush = async (): Promise<void> => {
    if (writes.size > 0) await broker.notes.write([...writes.values()]);
    writes.clear();
  };
  for (const request of requests) {
    if (request.keepLonger === true || writes.size === MAX_NOTE_WRITES) await flush();
    if (request.keepLonger === true) await holdLonger(broker, writeHold(request));
    else writes.set(holdKey(request), writeHold(request));
  }
  await flush();
}

/**
 * Makes the write, unless the present hold ends later. Then it is made where there is none any more: a broker of several servers brings
 * the present one to all of them before it answers that write, too.
 */
async function holdLonger({ notes }: NotesBroker, write: NoteWrite): Promise<void> {
  for (;;) {
    const { note: present, now } = await readNote(notes, write.key);
    const stays = present !== undefined && outlasts(present, Math.max(endOf(write, now) ?? Infinity, now));
    const { outcome } = await notes.write([{ ...write, seen: stays ? 0 : (present?.version ?? 0) }]);
    if (outcome === 'written' || stays) return;
  }
}

/** Whether the hold ends later than this, or does not end by itself. One that only probes has ended. */
function outlasts({ expiresAt = Infinity }: Note, end: number): boolean {
  return expiresAt === Infinity || expiresAt > end;
}

/**
 * Ends holds now, and wakes the workers that wait for work of these lanes. Of two callers, one has ended a hold.
 *
 * @throws {InvalidOptionsError} for a lane or a source that no hold can have
 */
export async function resumeLanes(
  broker: NotesBroker,
  requests: readonly ResumeRequest[],
): Promise<readonly ResumeAnswer[]> {
  readCall(checkResumes, requests);
  const answers: ResumeAnswer[] = [];
  for (let from = 0; from < requests.length; from += RESUMED_TOGETHER)
    answers.push(...(await resumeSome(broker, requests.slice(from, from + RESUMED_TOGETHER))));
  return answers;
}

/** Deletes those that there are not, as well: an earlier call may have failed before it reached every server of a broker. */
async function resumeSome({ notes }: NotesBroker, requests: readonly ResumeRequest[]) {
  for (;;) {
    const kept = new Map((await readNotes(notes, HOLD_PREFIX)).map(({ key, version }) => [key, version]));
    const seen = new Map<string, number>();
    const answers = requests.map(({ lane, source }): ResumeAnswer => {
      const sources = source === undefined ? HOLD_SOURCES : [source];
      const keys = sources.map((one) => holdKey({ ...(lane !== undefined && { lane }), source: one }));
      const isHeld = keys.some((key) => kept.has(key) && !seen.has(key));
      for (const key of keys) seen.set(key, kept.get(key) ?? 0);
      return isHeld ? 'resumed' : 'none';
    });
    const { outcome } = await notes.write(
      [...seen].map(([key, version]) => ({ key, seen: version, value: null })),
    );
    if (outcome === 'written') return answers;
  }
}

/** Returns the holds that have not ended, by lane and source; those of all lanes first. */
export async function listHolds({ notes }: NotesBroker): Promise<readonly Hold[]> {
  const found = await readNotes(notes, HOLD_PREFIX);
  return found.flatMap((note) => readHold(note) ?? []).sort(compareHolds);
}

/** Checks the holds of `hold`. */
function checkHolds(holds: readonly HoldRequest[]): void {
  check('hold', (findings) => {
    const { problems } = findings;
    findInEach(holds, problems, (hold, path) => {
      if (hold.lane !== undefined) findings.name(() => `${path}.lane`, hold.lane);
      for (const key of ['reason', 'by'] as const) {
        const message = hold[key] === undefined ? undefined : textProblem(hold[key]);
        if (message !== undefined)
          problems.push({ path: `${path}.${key}`, value: hold[key], message, cure: NOTE_CURE });
      }
      findWrongFields(hold, HOLD, { problems, path });
      if (hold.probeMs !== undefined) problems.push(...probeProblems(hold, path));
    });
  });
}

/** Checks the requests of `resume`. */
function checkResumes(requests: readonly ResumeRequest[]): void {
  check('resume', (findings) => {
    const { problems, name } = findings;
    findInEach(requests, problems, (request, path) => {
      if (request.lane !== undefined) name(() => `${path}.lane`, request.lane);
      findWrongFields(request, RESUME, { problems, path });
    });
  });
}

const NOTE_CURE = 'It is a note for people: shorten it, or leave it out.';

const A_SOURCE = oneOf(HOLD_SOURCES, "People hold lanes as 'operator'.");

const HOLD: FieldRules<HoldRequest> = {
  source: A_SOURCE,
  until: NUMBER_OR_NONE,
  forMs: NUMBER_OR_NONE,
  probeMs: NUMBER_OR_NONE,
  keepLonger: FLAG,
};

const RESUME: FieldRules<ResumeRequest> = { source: optional(A_SOURCE) };

function probeProblems({ lane, until, forMs, probeMs }: HoldRequest, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  const refuse = (message: string, cure: string): void => {
    problems.push({ path: `${path}.probeMs`, value: probeMs, message, cure });
  };
  if (probeMs !== undefined && (probeMs <= 0 || probeMs === Infinity))
    refuse('must be a finite number > 0', 'Leave it out if the hold is to end by itself.');
  if (lane === undefined) refuse('needs a lane', 'Hold each lane that is to be probed by itself.');
  if (until === undefined && forMs === undefined)
    refuse('needs until or forMs', 'Say when the first run is let through.');
  return problems;
}
