import { randomUUID } from 'node:crypto';

/** The twelve bits between version and variant count the ids of one millisecond. */
const MOST_PER_MS = 0xfff;

let latestMs = 0;
let count = 0;
/** What the ids of one millisecond begin with. */
let prefix = '';

/**
 * A name for a new run: a UUID of version 7 (RFC 9562, method 1). Those of one process ascend, so that a store with a
 * sorted index of ids writes where it wrote last rather than all over it.
 */
export function createRunId(): string {
  const now = Date.now();
  if (now > latestMs) begin(now);
  else if (count === MOST_PER_MS)
    begin(latestMs + 1); // a little ahead of the clock, rather than out of order
  else count += 1;
  return `${prefix}${(0x7000 + count).toString(16)}${randomUUID().slice(18)}`;
}

function begin(atMs: number): void {
  latestMs = atMs;
  count = 0;
  const digits = atMs.toString(16).padStart(12, '0');
  prefix = `${digits.slice(0, 8)}-${digits.slice(8)}-`;
}

const RUN_ID = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Clocks of different machines are this far apart at most. */
const CLOCK_SKEW_MS = 60_000;

/** Whether `createRunId`, in whichever process, may have made this id by now. */
export function isRunId(id: string): boolean {
  const [, high = '', low = ''] = RUN_ID.exec(id) ?? [];
  return high !== '' && Number.parseInt(high + low, 16) <= Date.now() + CLOCK_SKEW_MS;
}
