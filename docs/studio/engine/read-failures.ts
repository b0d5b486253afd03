import type { RecordedAttempt, RecordedRun } from '@retry/core/failures';
import { hasCalendarDay } from '@retry/core/fields';

/** What is wrong with a part of pasted text. */
export interface FailureProblem {
  /** `[3].errors[0].at`; `''` is the whole text. */
  readonly path: string;
  readonly message: string;
  readonly cure: string;
}

/** Recorded runs, or what is wrong with the text. */
export type ReadFailures =
  | { readonly runs: readonly RecordedRun[] }
  | { readonly problems: readonly FailureProblem[] };

/** More than these say nothing new. */
const MAX_PROBLEMS = 10;

const JSON_CURE = 'Paste what retry dlq ls --json prints, or a JSON list of runs.';
const A_RUN = 'A run is { "errors": [{ "name": "Error", "message": "…", "at": 1767225600000 }] }.';

/**
 * Reads recorded failures: a run, a list of runs, the page that `retry dlq ls --json` and `queue.deadLetters.list` return, or one of
 * these on each line. Instants are epoch milliseconds or ISO text. What it does not know is left as it is.
 */
export function readFailures(text: string): ReadFailures {
  const read = parseAll(text);
  if ('problem' in read) return { problems: [{ path: '', message: read.problem, cure: JSON_CURE }] };
  const problems: FailureProblem[] = [];
  const runs = read.values
    .flatMap(runsOf)
    .map((run, index) => readRun(run, { path: `[${index}]`, report: (problem) => problems.push(problem) }));
  if (runs.length === 0) problems.push({ path: '', message: 'has no runs', cure: JSON_CURE });
  return problems.length === 0 ? { runs } : { problems: problems.slice(0, MAX_PROBLEMS) };
}

/** One JSON value, or one on each line. */
function parseAll(text: string): { readonly values: readonly unknown[] } | { readonly problem: string } {
  try {
    return { values: [JSON.parse(text)] };
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    try {
      return { values: lines.map((line) => JSON.parse(line)) };
    } catch {
      return { problem: `is not JSON: ${error instanceof Error ? error.message : String(error)}` };
    }
  }
}

function runsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) && Array.isArray(value['runs']) ? value['runs'] : [value];
}

/** Where a value is, and where to report what is wrong with it. */
interface Spot {
  readonly path: string;
  readonly report: (problem: FailureProblem) => void;
}

type Fields = Readonly<Record<string, unknown>>;

/** The wrong values of a run are reported, and then none of it is used. */
function readRun(run: unknown, { path, report }: Spot): RecordedRun {
  const errors = isObject(run) ? run['errors'] : undefined;
  if (!isObject(run) || !Array.isArray(errors)) {
    report({ path, message: 'has no list of errors', cure: A_RUN });
    return { errors: [] };
  }
  const attempts = errors.map((error, index) => {
    const spot = { path: `${path}.errors[${index}]`, report };
    return readFields(isObject(error) ? error : {}, ATTEMPT, spot) as unknown as RecordedAttempt; // by its fields
  });
  return { ...readFields(run, RUN, { path, report }), errors: attempts };
}

/** What each field is. */
const RUN: Readonly<Record<string, Kind>> = {
  ...({ id: 'text', lane: 'text', failures: 'amount', stalls: 'amount', carried: 'amount' } as const),
  ...({ firstStartedAt: 'instant', resetAt: 'instant' } as const),
};

const ATTEMPT: Readonly<Record<string, Kind>> = {
  ...({ name: 'text', message: 'text', at: 'instant', startedAt: 'instant', reason: 'text' } as const),
  ...({ code: 'code', causeCode: 'code', status: 'amount', retryAfterMs: 'asked' } as const),
  ...({ durationMs: 'amount', stalledWith: 'amount' } as const),
};

const NEEDED: readonly string[] = ['name', 'message', 'at'];

const KINDS = {
  text: 'text',
  amount: 'a number ≥ 0',
  code: 'text or a number',
  asked: 'a number ≥ 0, or "refused"',
  instant: 'epoch milliseconds, or text such as 2026-01-01T12:00:00.000Z',
} as const;

type Kind = keyof typeof KINDS;

function readFields(given: Fields, kinds: Readonly<Record<string, Kind>>, { path, report }: Spot): Fields {
  const read = Object.entries(kinds).map(([key, kind]) => {
    const value = given[key];
    const isWrong = value === undefined ? kinds === ATTEMPT && NEEDED.includes(key) : !isOf(kind, value);
    if (isWrong) report({ path: `${path}.${key}`, message: `must be ${KINDS[kind]}`, cure: A_RUN });
    return [key, kind === 'instant' && typeof value === 'string' ? Date.parse(value) : value];
  });
  return { ...given, ...Object.fromEntries(read) };
}

function isOf(kind: Kind, value: unknown): boolean {
  const isAmount = typeof value === 'number' && value >= 0;
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'amount':
      return isAmount;
    case 'code':
      return typeof value === 'string' || typeof value === 'number';
    case 'asked':
      return isAmount || value === 'refused';
    case 'instant':
      return isAmount || (typeof value === 'string' && isInstant(value));
  }
}

/** `Date.parse` alone finds an instant in almost any text with a number. */
function isInstant(text: string): boolean {
  return hasCalendarDay(text) && !Number.isNaN(Date.parse(text));
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
