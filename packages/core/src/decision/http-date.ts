/** RFC 9110: a two-digit year that would be further ahead than this is the latest past year with these digits. */
const MAX_YEARS_AHEAD = 50;

const MONTHS: readonly string[] = [
  ...['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
];

/** The three forms of RFC 9110 section 5.6.7; the last has no zone and is in GMT. */
const FORMS: readonly RegExp[] = [
  /^\w{3}, (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) (?<time>[\d:]{8}) (?<zone>GMT|[+-]\d{4})$/,
  /^\w{3,6}day, (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) (?<time>[\d:]{8}) GMT$/,
  /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<time>[\d:]{8}) (?<year>\d{4})$/,
];

const WEEKDAY = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/** A leap second, `:60`, is read as the first instant of the next minute. */
const TIME = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)$/;

/**
 * Returns the instant of an HTTP date in any of its three forms, in epoch milliseconds; `undefined` for other text.
 *
 * @param nowAt - epoch milliseconds; sets the century of a two-digit year
 */
export function httpDateAt(text: string, nowAt: number): number | undefined {
  const parts = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined || !WEEKDAY.test(text)) return undefined;
  const { day = '', month = '', year = '', time = '', zone = 'GMT' } = parts;
  const clock = TIME.exec(time)?.slice(1).map(Number);
  const monthIndex = MONTHS.indexOf(month);
  if (clock === undefined || monthIndex === -1) return undefined;
  const at = (fullYear: number): number =>
    instantOf([fullYear, monthIndex, Number(day), ...clock]) - offsetMs(zone);
  const found = year.length === 4 ? at(Number(year)) : latestAt(Number(year), at, nowAt);
  return Number.isNaN(found) ? undefined : found;
}

/** Returns NaN for a day that the month does not have. `Date.UTC` is not used: it adds 1900 to years below 100. */
function instantOf([year = 0, month = 0, ...rest]: readonly number[]): number {
  const date = new Date(0);
  const [day = 1, hours = 0, minutes = 0, seconds = 0] = rest;
  date.setUTCFullYear(year, month, day);
  return date.getUTCDate() === day ? date.setUTCHours(hours, minutes, seconds) : Number.NaN;
}

function offsetMs(zone: string): number {
  if (zone === 'GMT') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** Returns the instant in the latest year with these last two digits that is not too far ahead. */
function latestAt(digits: number, at: (year: number) => number, nowAt: number): number {
  const limit = new Date(nowAt);
  const lastYear = limit.getUTCFullYear() + MAX_YEARS_AHEAD;
  limit.setUTCFullYear(lastYear);
  const year = lastYear - ((lastYear - digits) % 100);
  return at(year) > limit.getTime() ? at(year - 100) : at(year);
}
