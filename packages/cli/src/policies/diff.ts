import type { Policy, Preview } from '@retry/core';
import { delayBounds, formatDuration, preview } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { EXIT } from '../exit.ts';
import type { Input, Report } from '../report.ts';
import { printable } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { wrap } from '../terminal/screen.ts';
import { type Cell, renderTable } from '../terminal/table.ts';
import { writeJson } from '../terminal/write-json.ts';
import { countOf } from './describe.ts';
import { readPolicyFrom } from './read-system.ts';

/** The options of `retry diff`. */
interface DiffCommandOptions {
  /** The system whose options each argument has; a policy has none. */
  readonly systems: readonly (string | undefined)[];
}

/** Figures of a policy if its dependency is down, or fails in part. Attempts take no time. */
interface Figures {
  readonly maxAttempts: number;
  /** The mean delay before the first retry; `null` without one. */
  readonly firstDelayMs: number | null;
  readonly longestDelayMs: number;
  readonly meanTotalMs: number;
  readonly worstTotalMs: number;
  /** Calls that the dependency receives for each call of the program, while a share of them fails. */
  readonly loadIfDown: number;
  readonly loadIfHalfFails: number;
  readonly loadIfTenthFails: number;
  /** Calls within the first minute of an outage, for each call that began with it. */
  readonly callsInFirstMinute: number;
}

interface Option {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

const MINUTE_MS = 60_000;

/** Retries that are looked at one by one. */
const LISTED = 10_000;

/** Compares two policies: options, attempts, worst case, load on the dependency. Exit status 1 if they differ. */
export async function diffAction({
  args,
  options: { systems },
  environment,
}: Input<DiffCommandOptions>): Promise<Report> {
  const [before, after] = [
    await readPolicyFrom(args[0] ?? '', systems[0], environment),
    await readPolicyFrom(args[1] ?? '', systems[1], environment),
  ];
  const options = differingOptions(before, after);
  const figures = { before: figuresOf(before), after: figuresOf(after) };
  return {
    json: { isEqual: options.length === 0, options, ...figures },
    text: (screen) => toText(options, figures, screen),
    exitCode: options.length === 0 ? EXIT.fine : EXIT.found,
  };
}

function differingOptions(before: Policy, after: Policy): readonly Option[] {
  const [left, right] = [flatten(settingsOf(before)), flatten(settingsOf(after))];
  const paths = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return paths
    .filter((path) => writeJson(left[path]) !== writeJson(right[path]))
    .map((path) => ({ path, before: left[path] ?? null, after: right[path] ?? null }));
}

/** Returns the values by path; lists stay whole, because their entries have no identity. */
function flatten(value: object, prefix = ''): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
      const path = prefix + key;
      const isGroup = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
      return isGroup ? Object.entries(flatten(inner, `${path}.`)) : [[path, readable(inner)]];
    }),
  );
}

/** Patterns are compared and shown by their source. */
function readable(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return JSON.parse(
    JSON.stringify(value, (_key, inner: unknown) => (inner instanceof RegExp ? String(inner) : inner)),
  );
}

function figuresOf(policy: Policy): Figures {
  const found = preview(policy, { attemptMs: 0, limit: LISTED });
  const { maxRetries, retries, total } = found;
  const maxAttempts = maxRetries + 1;
  return {
    maxAttempts,
    firstDelayMs: retries[0]?.delay.meanMs ?? null,
    longestDelayMs: longestDelay(policy, found),
    meanTotalMs: total.meanMs,
    worstTotalMs: total.maxMs,
    loadIfDown: maxAttempts,
    loadIfHalfFails: load(0.5, maxAttempts),
    loadIfTenthFails: load(0.1, maxAttempts),
    callsInFirstMinute: 1 + retriesInFirstMinute(policy, found),
  };
}

/** Delays after the listed ones do not turn: the last of all is the longest, or none is longer than a listed one. */
function longestDelay(policy: Policy, { retries, maxRetries }: Preview): number {
  const listedMs = Math.max(0, ...retries.map(({ delay }) => delay.maxMs));
  if (retries.length === maxRetries) return listedMs;
  const [, lastMs] = delayBounds(policy, Math.min(maxRetries, Number.MAX_SAFE_INTEGER));
  const hasNoLongest = maxRetries === Infinity && settingsOf(policy).maxDelayMs === Infinity;
  return hasNoLongest && lastMs > listedMs ? Infinity : Math.max(listedMs, lastMs);
}

/** Where all that are listed begin within the minute, waits are so short that those after them are taken for equal to the last. */
function retriesInFirstMinute(policy: Policy, { retries, maxRetries }: Preview): number {
  const untilMs = Math.min(MINUTE_MS, settingsOf(policy).totalTimeoutMs);
  const listed = retries.filter(({ startsAfter }) => startsAfter.meanMs < untilMs).length;
  const last = retries.at(-1);
  if (last === undefined || listed < retries.length) return listed;
  const more = Math.ceil((untilMs - last.startsAfter.meanMs) / last.delay.meanMs) - 1;
  return Math.min(maxRetries, listed + more);
}

/** Returns `1 + p + p² + …` of `attempts` terms: each attempt is made if all before it failed. */
function load(failing: number, attempts: number): number {
  const exact = (1 - failing ** attempts) / (1 - failing);
  return Math.round(exact * 1000) / 1000;
}

const ROWS: readonly (readonly [string, keyof Figures, (value: number) => string])[] = [
  ['attempts', 'maxAttempts', countOf],
  ['first retry, mean wait', 'firstDelayMs', formatDuration],
  ['longest wait', 'longestDelayMs', formatDuration],
  ['all waits, mean', 'meanTotalMs', formatDuration],
  ['all waits, worst case', 'worstTotalMs', formatDuration],
  ['load if it is down', 'loadIfDown', times],
  ['load if half fails', 'loadIfHalfFails', times],
  ['load if a tenth fails', 'loadIfTenthFails', times],
  ['calls in its first minute', 'callsInFirstMinute', countOf],
];

function times(load: number): string {
  return load === Infinity ? 'unlimited' : `×${Math.round(load * 100) / 100}`;
}

interface BothFigures {
  readonly before: Figures;
  readonly after: Figures;
}

function toText(options: readonly Option[], { before, after }: BothFigures, screen: Screen): string {
  if (options.length === 0) return 'The policies are equal.';
  const rows = ROWS.map(([title, key, format]): readonly Cell[] => {
    const [left, right] = [before[key], after[key]].map((value) => (value === null ? '-' : format(value)));
    return [title, left ?? '', left === right ? (right ?? '') : { text: right ?? '', style: 'warning' }];
  });
  const columns = [
    { title: 'figure' },
    { title: 'before', align: 'right' },
    { title: 'after', align: 'right' },
  ] as const;
  const changes = options.map((option) => {
    const [left, right] = [option.before, option.after].map((value) => printable(oneLine(value)));
    return wrap(`  ${option.path}  ${left} → ${right}`, screen.width, '      ');
  });
  return [renderTable(columns, rows, screen), '', 'Options that differ:', ...changes].join('\n');
}

function oneLine(value: unknown): string {
  return JSON.stringify(JSON.parse(writeJson(value)));
}
