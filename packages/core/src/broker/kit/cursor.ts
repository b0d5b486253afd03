import { InvalidOptionsError } from '../../errors.ts';
import type { ListQuery } from '../broker.ts';
import { fnv1a } from './partition-tag.ts';

/** Where a page of a list ended: which list of the broker's, and the last run in it, by what the list is ordered by. */
export type Position = readonly [list: string, ...fields: readonly (string | number)[]];

/** What is read by pages, as far as its cursors belong to it. Error groups are read like runs of a state of that name. */
interface Cursored {
  readonly state: ListQuery['state'] | 'groups';
  readonly lane?: string | undefined;
  readonly errorGroup?: string | undefined;
  readonly after?: string | undefined;
}

/** The digits of the checksum that a cursor begins with. */
const CHECK_DIGITS = 8;

/**
 * Returns a position as the cursor of a page. It contains the broker and the query that it belongs to, and a checksum, so that
 * `readCursor` trusts what it reads.
 *
 * @param broker - what distinguishes this queue from those of other brokers
 */
export function writeCursor(broker: string, query: Cursored, position: Position): string {
  const text = JSON.stringify([ownerOf(broker, query), position]);
  return checksum(text) + text;
}

/**
 * Returns the position of the query's cursor; `undefined` when it has none.
 *
 * @throws {InvalidOptionsError} for a cursor of another broker, state or lane, and for any other text
 */
export function readCursor(broker: string, query: Cursored): Position | undefined {
  const { after } = query;
  if (after === undefined) return undefined;
  const text = typeof after === 'string' ? after.slice(CHECK_DIGITS) : '';
  if (text === '' || checksum(text) + text !== after) throw wrongCursor(query);
  const [owner, position] = JSON.parse(text) as readonly [string, Position]; // the checksum is of a text that we wrote
  if (owner !== ownerOf(broker, query)) throw wrongCursor(query);
  return position;
}

function ownerOf(broker: string, { state, lane = '', errorGroup }: Cursored): string {
  return JSON.stringify(errorGroup === undefined ? [broker, state, lane] : [broker, state, lane, errorGroup]);
}

function wrongCursor({ state, after: value }: Cursored): InvalidOptionsError {
  const path = state === 'groups' ? 'groups.after' : 'after';
  const message = 'must be the next of a page of the same broker, state, lane and error group';
  const cure = 'Leave it out for the first page.';
  return new InvalidOptionsError([{ path, value, message, cure }], 'query');
}

/** Returns a sum that texts do not have which were cut, changed or never a cursor. */
function checksum(text: string): string {
  return fnv1a(text).toString(16).padStart(CHECK_DIGITS, '0');
}
