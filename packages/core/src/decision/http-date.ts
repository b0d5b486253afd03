/** RFC 9110: a two-digit year that would be further ahead than this is the latest past year with these digits. */
const MAX_YEARS_AHEAD = 50;

/** `Sun Nov  6 08:49:37 1994`: the form without a zone, in GMT. Days of one digit may be padded, in all forms. */
const ASCTIME = /^(\w{3}) (\w{3}) ([ \d]?\d) ([\d:]{8}) (\d{4})$/;

/** `Sun, 06 Nov 1994 08:49:37 GMT` and `Sunday, 06-Nov-94 08:49:37 GMT`. */
const FORM =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*, ([ \d]?\d)[ -](\w{3})[ -](\d\d|\d{4}) ([\d:]{6})(\d\d) (GMT|UTC|[+-]\d{4})$/;

/**
 * Returns the instant of an HTTP date in any of the three forms of RFC 9110 section 5.6.7, in epoch milliseconds;
 * `undefined` for other text, and for a day that its month does not have.
 *
 * @param nowAt - epoch milliseconds; sets the century of a two-digit year. `NO_CLOCK`: any century
 */
export function httpDateAt(text: string, nowAt: number): number | undefined {
  const parts = FORM.exec(text.replace(ASCTIME, '$1, $3 $2 $5 $4 GMT'));
  if (parts === null) return undefined;
  const [, day = '', month, year = '', time, second, zone] = parts;
  const isLeapSecond = second === '60'; // the first instant of the next minute
  const at = (fullYear: number | string): number => {
    const text = `${day.trim().padStart(2, '0')} ${month} ${fullYear} ${time}${isLeapSecond ? 59 : second}`;
    const date = new Date(`${text} GMT`);
    // `Date` takes more texts than HTTP does, and reads the 30th of February as a day of March.
    return date.toUTCString().slice(5, -4) === text
      ? Date.parse(`${text} ${zone}`) + Number(isLeapSecond) * 1_000
      : Number.NaN;
  };
  const found = year.length === 4 ? at(year) : latestAt(Number(year), at, nowAt);
  return Number.isNaN(found) ? undefined : found;
}

/** Returns the instant in the latest year with these last two digits that is not too far ahead. */
function latestAt(digits: number, at: (year: number) => number, nowAt: number): number {
  // Without a clock, any century will do.
  const limit = new Date(nowAt > -Infinity ? nowAt : 0);
  const lastYear = limit.getUTCFullYear() + MAX_YEARS_AHEAD;
  const year = lastYear - ((lastYear - digits) % 100);
  const found = at(year);
  return found > limit.setUTCFullYear(lastYear) ? at(year - 100) : found;
}
