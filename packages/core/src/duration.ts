/** A unit of a {@link Duration}. */
export type DurationUnit = 'ms' | 's' | 'm' | 'h' | 'd';

/** A length of time: milliseconds as a number, or text like `'500ms'`, `'2s'`, `'1.5h'`, `'Infinity'`. */
export type Duration = number | `${number}${DurationUnit}` | 'Infinity';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5 };

/**
 * Returns a duration in milliseconds, `0 ≤ ms ≤ Infinity`; `undefined` for a value that is not a duration. Never throws.
 */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value === 'number') return value >= 0 ? value + 0 : undefined;
  if (value === 'Infinity') return Infinity;
  const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?)(ms|[smhd])$/.exec(value) : null;
  if (match === null) return undefined;
  const ms = Number(match[1]) * (UNIT_MS[match[2] ?? ''] ?? Number.NaN);
  // Rounded to the 15 digits that a double holds exactly: 1.001 × 1000 is not quite 1001. Integers of up to 15 digits are exact.
  return Number.isInteger(ms) && ms < 1e15 ? ms : Number(ms.toPrecision(15));
}

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
