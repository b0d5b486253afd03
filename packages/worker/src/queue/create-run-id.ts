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
