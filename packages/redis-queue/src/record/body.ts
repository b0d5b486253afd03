import type { Concurrency, Run, Submission } from '@retry/core/broker';
import type { Extras, RunDraft } from '@retry/core/broker/kit';
import { keepableMs, newRun, readExtras, writeExtras } from '@retry/core/broker/kit';
import { UNREADABLE_RUN } from '../errors.ts';
import { fromTag, toTag } from '../store/keys.ts';
import { APART, isKeptApart } from './apart.ts';
import { ALL_KINDS, BODY, BODY_KINDS, NOTED_KINDS, NOTES } from './layout.ts';

/** The part of a run that never changes, but for the limit that a claim brings along from the run's task. */
export interface Body {
  /** When it was first submitted. */
  readonly createdAt: number;
  readonly lane: string;
  /** `APART` where it is kept apart. */
  readonly payload: string;
  readonly concurrency: Concurrency | undefined;
  readonly fairnessKey: string | undefined;
  readonly extras: Extras;
}

/**
 * Writes the body of a run, without the instant that the server puts before it. Fields that end with a zero character follow
 * one another:
 *
 * 1. the letter of its kind and, if it has any, its notes: whether the caller chose the id, whether the payload is kept apart,
 *    whether it has a fairness key and extras, and for how long its result waits to be collected
 * 2. the fairness key, and limit and key of the concurrency, if it has them
 * 3. the lane, the extras, if it has any, and the payload to the end
 */
export function encodeBody(submission: Submission): string {
  const { lane, payload, concurrency, fairnessKey } = submission;
  const extras = writeExtras(submission);
  const notes = notesOf(submission, extras);
  if (notes === '' && concurrency === undefined) return plainHeadOf(lane) + payload;
  const kind = BODY_KINDS[kindNameOf(concurrency)];
  const head = notes === '' ? kind.plain : `${kind.noted}${notes}\0`;
  const fairness = fairnessKey === undefined ? '' : `${toTag(fairnessKey)}\0`;
  const key = concurrency === undefined ? '' : `${concurrency.limit}\0${toTag(concurrency.key)}\0`;
  // JSON has no zero character.
  const others = extras === undefined ? '' : `${extras}\0`;
  return `${head}${fairness}${key}${toTag(lane)}\0${others}${isKeptApart(payload) ? APART : payload}`;
}

/** The latest lane, and the body of one of its runs up to the payload, if there is nothing else in it. */
let latestPlain = { lane: '', head: '' };

function plainHeadOf(lane: string): string {
  if (latestPlain.lane !== lane || latestPlain.head === '')
    latestPlain = { lane, head: `${BODY_KINDS.none.plain}${toTag(lane)}\0` };
  return latestPlain.head;
}

function kindNameOf(concurrency: Concurrency | undefined): keyof typeof BODY_KINDS {
  if (concurrency === undefined) return 'none';
  const { whenFull, holdWhileRetrying } = concurrency;
  return holdWhileRetrying === true ? `${whenFull}Kept` : whenFull;
}

function notesOf(
  { payload, keyed, keepResultMs, fairnessKey }: Submission,
  extras: string | undefined,
): string {
  const keep = keepResultMs === undefined ? '' : `${keepableMs(keepResultMs)}`;
  const head = `${fairnessKey === undefined ? '' : NOTES.fair}${keyed === true ? NOTES.keyed : ''}`;
  const ofTexts = `${isKeptApart(payload) ? NOTES.payloadApart : ''}${extras === undefined ? '' : NOTES.extras}`;
  return `${head}${ofTexts}${keep}`;
}

/** Reads what {@link encodeBody} wrote. @throws {UnreadableError} where it did not */
export function decodeBody(text: string): Body {
  const kind = kindOf(text);
  if (kind === BODY_KINDS.none.plain) return decodePlainBody(text);
  if (!ALL_KINDS.includes(kind)) throw new UnreadableError('its body');
  const createdAt = createdAtOf(text);
  const head = NOTED_KINDS.includes(kind) ? endOf(text, BODY.length) + 1 : BODY.length;
  const notes = text.slice(BODY.length, head);
  const from = notes.startsWith(NOTES.fair) ? endOf(text, head) + 1 : head;
  const fairnessKey = from === head ? undefined : fromTag(text.slice(head, from - 1));
  const decodeRest = notes.includes(NOTES.extras) ? decodeWithExtras : decodePlain;
  const ofKind = CONCURRENCIES.get(kind);
  if (ofKind === undefined)
    return { createdAt, fairnessKey, ...decodeRest(text, from), concurrency: undefined };
  const first = endOf(text, from);
  const second = endOf(text, first + 1);
  const key = fromTag(text.slice(first + 1, second));
  const concurrency: Concurrency = { key, limit: Number(text.slice(from, first)), ...ofKind };
  return { createdAt, fairnessKey, ...decodeRest(text, second + 1), concurrency };
}

/** An instant, and its digits. */
let latestInstant = { digits: '', at: 0 };

/** A lane, and the part of a body from its kind to the end of the lane. */
let latestLane = { head: '', lane: '' };

/**
 * Reads a body without notes and a key, as most are. The runs of a claim share their lane and often their instant, so each is compared
 * with the latest one: that takes a third of the time of reading it. Runs that share the text of their lane are also counted faster.
 */
function decodePlainBody(text: string): Body {
  const createdAt = createdAtOf(text);
  if (latestLane.head === '' || !text.startsWith(latestLane.head, BODY.fields.kind.from)) {
    const zero = endOf(text, BODY.length);
    const head = text.slice(BODY.fields.kind.from, zero + 1);
    latestLane = { head, lane: fromTag(text.slice(BODY.length, zero)) };
  }
  const { head, lane } = latestLane;
  const payload = text.slice(BODY.fields.kind.from + head.length);
  return { createdAt, lane, payload, concurrency: undefined, fairnessKey: undefined, extras: NO_EXTRAS };
}

function createdAtOf(text: string): number {
  if (latestInstant.digits === '' || !text.startsWith(latestInstant.digits)) {
    if (!CREATED_AT.test(text)) throw new UnreadableError('its body');
    const digits = text.slice(0, BODY.fields.createdAt.end);
    latestInstant = { digits, at: Number(digits) };
  }
  return latestInstant.at;
}

/** Whether the payload of the body is kept apart. */
export function hasPayloadApart(text: string): boolean {
  const kind = kindOf(text);
  if (kind === BODY_KINDS.none.plain || !NOTED_KINDS.includes(kind)) return false;
  const end = text.indexOf('\0', BODY.length);
  return text.slice(BODY.length, end === -1 ? undefined : end).includes(NOTES.payloadApart);
}

const CREATED_AT = new RegExp(`^\\d{${BODY.fields.createdAt.end}}`);
const CONCURRENCIES: ReadonlyMap<string, Omit<Concurrency, 'key' | 'limit'>> = new Map(
  (['wait', 'claim'] as const).flatMap((whenFull) => {
    const usual = Object.values(BODY_KINDS[whenFull]).map((kind) => [kind, { whenFull }] as const);
    const kept = Object.values(BODY_KINDS[`${whenFull}Kept`]);
    return [...usual, ...kept.map((kind) => [kind, { whenFull, holdWhileRetrying: true }] as const)];
  }),
);

function kindOf(text: string): string {
  return text[BODY.fields.kind.from] ?? '';
}

type Rest = Pick<Body, 'lane' | 'payload' | 'extras'>;

const NO_EXTRAS: Extras = {};

function decodePlain(text: string, from: number): Rest {
  const zero = endOf(text, from);
  return { lane: fromTag(text.slice(from, zero)), payload: text.slice(zero + 1), extras: NO_EXTRAS };
}

function decodeWithExtras(text: string, from: number): Rest {
  const first = endOf(text, from);
  const second = endOf(text, first + 1);
  const extras = readExtras(text.slice(first + 1, second));
  return { lane: fromTag(text.slice(from, first)), payload: text.slice(second + 1), extras };
}

/** Returns the index where the field that begins at `from` ends. */
function endOf(text: string, from: number): number {
  const zero = text.indexOf('\0', from);
  if (zero === -1) throw new UnreadableError('its body');
  return zero;
}

/** Returns three arguments for each run: id, body, and the payload that is kept apart, or empty text. */
export function encodeSubmissions(submissions: readonly Submission[]): readonly string[] {
  return submissions.flatMap((submission) => {
    const { id, payload } = submission;
    return [id, encodeBody(submission), isKeptApart(payload) ? payload : ''];
  });
}

/** Returns the two values of when each run is due: the instant, and the delay from now. */
export function duesOf(submissions: readonly Submission[]): readonly number[] {
  return submissions.flatMap(({ runAt = 0, delayMs = 0 }) => [runAt, delayMs]);
}

/** Thrown for a body or a record that the broker did not write. The message is the part that cannot be read. */
export class UnreadableError extends Error {}

/** Returns the message of the error of a run whose body or record cannot be read. */
export function unreadableMessage(part: string): string {
  return `what the server keeps of this run cannot be read: ${part}. Discard it, and submit it again.`;
}

/** Returns a run of which nothing can be read, as the next claim or the cleaner will leave it. */
export function unreadableRun(id: string, part: string): Run {
  const run: RunDraft = newRun({ id, lane: '', payload: '', concurrency: undefined });
  run.state = 'failed';
  run.errors = [{ epoch: 0, at: 0, name: UNREADABLE_RUN, message: unreadableMessage(part), reason: 'ended' }];
  return run;
}
