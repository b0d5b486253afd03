import { randomUUID } from 'node:crypto';

let latestMs = 0;
let count = 0;

/**
 * A name for a new run: a UUID of version 7 (RFC 9562, method 1). Those of one process ascend, so that a store with a
 * sorted index of ids writes where it wrote last rather than all over it.
 */
export function createRunId(): string {
  const now = Date.now();
  if (now > latestMs) {
    latestMs = now;
    count = 0;
  } else if (count === MOST_PER_MS) {
    latestMs += 1; // a little ahead of the clock, rather than out of order
    count = 0;
  } else count += 1;
  const at = latestMs.toString(16).padStart(12, '0');
  const nth = count.toString(16).padStart(3, '0');
  return `${at.slice(0, 8)}-${at.slice(8)}-7${nth}-${randomUUID().slice(19)}`;
}

/** The twelve bits between version and variant count the ids of one millisecond. */
const MOST_PER_MS = 0xfff;
