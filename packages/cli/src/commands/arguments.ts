import { durationMs, hasCalendarDay } from '@retry/core/fields';
import { InvalidArgumentError, Option } from 'commander';

/** Returns a reader of integers from a minimum on, up to a maximum. */
export function integerArgument(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    const upTo = maximum === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${maximum}`;
    throw new InvalidArgumentError(`Write an integer of at least ${minimum}${upTo}.`);
  };
}

/** `2026-05-01`, `2026-05-01T09:00`, with seconds and a zone where there are any. */
const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/i;

/**
 * Reads the value of an option as an instant in epoch milliseconds. `Date.parse` alone finds one in almost any text with a number: in
 * `tomorrow 9` that of 2001, and in `2026-02-30` the second of March.
 */
export function instantArgument(text: string): number {
  const at = ISO.test(text) && hasCalendarDay(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new InvalidArgumentError('Write a date and a time: 2026-05-01T09:00:00Z.');
  return at;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3_600 };

/** Reads a rate: `2000/s`, `90/min`, `5/h`; a number alone is a second's. @returns how many a second, over 0 */
export function rateArgument(text: string): number {
  const [, amount = '', unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/(s|min|h))?$/.exec(text) ?? [];
  const perSecond = amount === '' ? Number.NaN : Number(amount) / (SECONDS[unit] ?? 1);
  if (perSecond > 0 && perSecond < Infinity) return perSecond;
  throw new InvalidArgumentError('Write how many a second, minute or hour: 50/s, 90/min, 5/h.');
}

/** Returns an option whose value becomes milliseconds. @param fallback - its default, in milliseconds */
export function durationOption(flags: string, summary: string, fallback?: number): Option {
  const option = new Option(`${flags} <duration>`, summary).argParser(durationArgument);
  return fallback === undefined ? option : option.default(fallback, `${fallback / 1_000}s`);
}

function durationArgument(text: string): number {
  // 0 needs no unit; of other numbers `timeout` and `curl` make seconds, and policies milliseconds.
  const ms = durationMs(text === '0' ? 0 : text);
  if (ms !== undefined && ms < Infinity) return ms;
  const isBare = /^\d+(\.\d+)?$/.test(text);
  throw new InvalidArgumentError(
    isBare ? `Write its unit: ${text}s or ${text}ms.` : 'Write 500ms, 2s, 5m or 1h.',
  );
}
