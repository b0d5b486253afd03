import { InvalidOptionsError } from './errors.ts';

/** A unit of a {@link Duration}. */
type DurationUnit = 'ms' | 's' | 'm' | 'h' | 'd';

/** A length of time: milliseconds as a number, or text like `'500ms'`, `'2s'`, `'1.5h'`, `'Infinity'`. */
export type Duration = number | `${number}${DurationUnit}` | 'Infinity';

/** Milliseconds of each unit. */
export const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5 };

/**
 * Returns a duration in milliseconds, `0 ≤ ms ≤ Infinity`.
 *
 * @throws {InvalidOptionsError} when the value is not a duration, because an option that gets `undefined` takes its default: often no limit
 */
export function parseDuration(value: unknown): number {
  const ms = durationMs(value);
  if (ms !== undefined) return ms;
  const problem = { path: '', value, message: 'must be a duration ≥ 0', cure: durationCure(value) };
  throw new InvalidOptionsError([problem], 'duration');
}

/** Returns a duration in milliseconds; `undefined` for a value that is not a duration. Never throws. */
export function durationMs(value: unknown): number | undefined {
  if (typeof value === 'number') return value >= 0 ? value + 0 : undefined;
  if (value === 'Infinity') return Infinity;
  const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?)(ms|[smhd])$/.exec(value) : null;
  if (match === null) return undefined;
  const ms = Number(match[1]) * (UNIT_MS[match[2] ?? ''] ?? Number.NaN);
  // Rounded to the 15 digits that a double holds exactly: 1.001 × 1000 is not quite 1001. Integers of up to 15 digits are exact.
  return Number.isInteger(ms) && ms < 1e15 ? ms : Number(ms.toPrecision(15));
}

/**
 * Returns whether a number given as a delay is an instant of the years 2001 to 2286 in epoch milliseconds: as a delay it is 31 to 317
 * years. One in epoch seconds is a delay of 20 days as well, so nothing can tell.
 */
export function isInstant(delay: unknown): boolean {
  return typeof delay === 'number' && delay >= 1e12 && delay < 1e13;
}

/** What is wrong with such a number. */
export const IS_INSTANT = {
  message: 'must be a length of time from now, not an instant',
  cure: 'Use at - Date.now(), in milliseconds.',
};

/**
 * Returns what to write instead of a value that is not such a duration.
 *
 * @param accepts - is given milliseconds; what it refuses is not proposed
 */
export function durationCure(value: unknown, accepts: (ms: number) => boolean = () => true): string {
  const right = (texts: readonly string[]): readonly string[] =>
    texts.filter((text) => accepts(durationMs(text) ?? Number.NaN)).map((text) => `'${text}'`);
  const [, count, word = ''] =
    /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(typeof value === 'string' ? value : '') ?? [];
  const unit = /^(?:(ms|milli)|(m(?!o)|[shd]))/i.exec(word);
  const isBare = count !== undefined && word === '';
  const units = isBare ? ['s', 'ms'] : unit === null ? [] : [unit[2]?.toLowerCase() ?? 'ms'];
  const meant = right(units.map((one) => `${count}${one}`)).join(' or ');
  if (meant !== '') return isBare ? `Write its unit: ${meant}.` : `Write ${meant}.`;
  return `Use milliseconds or text like ${right(EXAMPLES).slice(0, 3).join(', ')}.`;
}

const EXAMPLES = ['500ms', '2s', '5m', '1h', '1d'];

/** The latest instant that a run or a retry can be due at, in epoch milliseconds: the latest `Date`. */
export const MAX_INSTANT_AT = 8_640_000_000_000_000;

/** Returns whether ISO text begins with a day that its month has: `Date.parse` reads the 30th of February as a day of March. */
export function hasCalendarDay(text: string): boolean {
  const day = text.split(/[t ]/i)[0] ?? '';
  return new Date(Date.parse(day)).toJSON()?.startsWith(day) ?? false;
}

/**
 * Returns a duration as text: `formatDuration(5_400_000)` is `'1.5h'`. Rounded to two decimals; `'unknown'` for what is no number.
 * Never throws.
 */
export function formatDuration(ms: number): string {
  if (typeof ms !== 'number' || Number.isNaN(ms)) return 'unknown';
  if (!Number.isFinite(ms)) return 'no limit';
  const unit = (['d', 'h', 'm', 's'] as const).find((name) => ms >= (UNIT_MS[name] ?? 0)) ?? 'ms';
  return `${Math.round((ms / (UNIT_MS[unit] ?? 1)) * 100) / 100}${unit}`;
}
