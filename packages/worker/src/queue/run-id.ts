import { randomUUID } from 'node:crypto';

/** The twelve bits between version and variant count the ids of one millisecond. */
const MAX_PER_MS = 0xfff;

let latestMs: number;
let count: number;
/** The common prefix of the ids of one millisecond. */
let prefix: string;
begin(0);

/**
 * Returns the id of a new run: a UUID of version 7 (RFC 9562, method 1). Ids of one process ascend, so that a store with a
 * sorted index appends to it rather than writing everywhere.
 *
 * @param tag - text without `}` that goes before it in braces: runs of one tag are kept together
 */
export function createRunId(tag?: string): string {
  const now = Date.now();
  if (now > latestMs) begin(now);
  else if (count === MAX_PER_MS)
    begin(latestMs + 1); // ahead of the clock rather than out of order
  else count += 1;
  const uuid = `${prefix}${(0x7000 + count).toString(16)}${randomUUID().slice(18)}`;
  return tag === undefined ? uuid : `{${tag}}${uuid}`;
}

function begin(atMs: number): void {
  latestMs = atMs;
  count = 0;
  const digits = atMs.toString(16).padStart(12, '0');
  prefix = `${digits.slice(0, 8)}-${digits.slice(8)}-`;
}

const RUN_ID = /^(?:\{[^}]+\})?([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** How far the clocks of different machines may differ, in ms. */
const CLOCK_SKEW_MS = 60_000;

/** Whether `createRunId` of any process may have made this id by now. */
export function isRunId(id: string): boolean {
  const [, high = '', low = ''] = RUN_ID.exec(id) ?? [];
  return high !== '' && Number.parseInt(high + low, 16) <= Date.now() + CLOCK_SKEW_MS;
}
