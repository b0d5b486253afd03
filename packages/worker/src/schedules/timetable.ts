import { MAX_INSTANT_AT } from '@retry/core';
import type { Cron } from 'croner';
import { parseCron } from './cron-pattern.ts';

/** When a schedule fires: whenever the clocks of a zone match a cron pattern, or every so many milliseconds since an instant. */
export type Timetable = Bounds &
  (
    | { readonly cron: string; readonly timeZone: string }
    | { readonly everyMs: number; readonly anchorAt: number }
  );

/** Between which instants a schedule fires, both included; epoch milliseconds. */
export interface Bounds {
  readonly fromAt?: number;
  readonly untilAt?: number;
}

/** Returns the first instant of a timetable after this one, in epoch milliseconds; `undefined` when there is none. */
export function instantAfter(timetable: Timetable, at: number): number | undefined {
  const { fromAt = -Infinity, untilAt = MAX_INSTANT_AT } = timetable;
  const after = Math.max(at, fromAt - 1);
  const next =
    'cron' in timetable
      ? cronOf(timetable).nextRun(new Date(after))?.getTime()
      : timetable.anchorAt + Math.max(0, stepsUntil(timetable, after) + 1) * timetable.everyMs;
  return next !== undefined && next <= untilAt ? next : undefined;
}

/** Which instants of a timetable: the latest ones with `after < instant ≤ upTo`. */
export interface Span {
  readonly after: number;
  readonly upTo: number;
  /** How many of them, at most; an integer ≥ 1. */
  readonly most: number;
}

/** Returns the latest instants of a timetable in a span, in ascending order, however long the span is. */
export function latestInstants(timetable: Timetable, span: Span): readonly number[] {
  const { fromAt = -Infinity, untilAt = MAX_INSTANT_AT } = timetable;
  const upTo = Math.min(span.upTo, untilAt);
  const first = Math.max(span.after + 1, fromAt);
  const latest =
    'cron' in timetable ? cronUpTo(timetable, upTo, span.most) : everyUpTo(timetable, upTo, span.most);
  return latest.filter((at) => at >= first);
}

function everyUpTo(
  timetable: Timetable & { readonly everyMs: number; readonly anchorAt: number },
  upTo: number,
  most: number,
): readonly number[] {
  const last = stepsUntil(timetable, upTo);
  const count = Math.max(0, Math.min(most, last + 1));
  return Array.from({ length: count }, (_, index) => {
    return timetable.anchorAt + (last - count + 1 + index) * timetable.everyMs;
  });
}

function stepsUntil(
  { everyMs, anchorAt }: { readonly everyMs: number; readonly anchorAt: number },
  at: number,
): number {
  return Math.floor((at - anchorAt) / everyMs);
}

const SECOND_MS = 1_000;

/** Cron has whole seconds; `previousRuns` excludes the instant that it is given. */
function cronUpTo(timetable: CronTable, upTo: number, most: number): readonly number[] {
  const before = new Date(Math.floor(upTo / SECOND_MS) * SECOND_MS + SECOND_MS);
  const instants = cronOf(timetable).previousRuns(most, before);
  return instants.map((instant) => instant.getTime()).sort((one, other) => one - other);
}

type CronTable = Extract<Timetable, { readonly cron: string }>;

/** The most patterns that stay parsed. */
const MAX_PARSED = 1_000;

const parsed = new Map<string, Cron>();

function cronOf({ cron, timeZone }: Pick<CronTable, 'cron' | 'timeZone'>): Cron {
  const key = `${timeZone} ${cron}`;
  const known = parsed.get(key);
  if (known !== undefined) return known;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  const made = parseCron(cron, timeZone);
  parsed.set(key, made);
  return made;
}
