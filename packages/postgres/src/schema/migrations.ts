import { AUDIT } from './audit-function.ts';
import { CLAIM_KEYED, CLAIM_NEXT, FAIL_UNREADABLE, PROMOTE } from './claim-functions.ts';
import { AWAITED, EXPIRED, REMEMBER, TIDY, TRIM } from './keeping-functions.ts';
import { LEASES } from './leases.ts';
import { CANCEL, DISCARD, LOCATIONS, REDRIVE } from './operator-functions.ts';
import { GET, HEARTBEAT, LIST, RECORDS, SHOW, VIEWS } from './run-functions.ts';
import { CLAIM, SETTLE_AND_CLAIM } from './settle-and-claim-functions.ts';
import { ANSWER_UNSETTLED, LOCK_KEYS, SETTLE, UNPARK } from './settle-functions.ts';
import { CLOCK, SUBMIT } from './submit-functions.ts';
import { TABLES } from './tables.ts';
import { ATTEND, WAITING_PROCESSES } from './wait-functions.ts';

const FIRST = [
  ...[TABLES, LEASES, CLOCK, RECORDS, SHOW, AWAITED, WAITING_PROCESSES, SUBMIT, LOCK_KEYS, UNPARK],
  ...[
    ANSWER_UNSETTLED,
    SETTLE,
    FAIL_UNREADABLE,
    PROMOTE,
    CLAIM_NEXT,
    CLAIM_KEYED,
    CLAIM,
    REMEMBER,
    TRIM,
    TIDY,
  ],
  ...[
    SETTLE_AND_CLAIM,
    GET,
    LIST,
    HEARTBEAT,
    EXPIRED,
    LOCATIONS,
    CANCEL,
    REDRIVE,
    DISCARD,
    ATTEND,
    AUDIT,
    VIEWS,
  ],
];

/**
 * Held by every function that a client calls, so that no statement's plan depends on what the server believes of the
 * tables' sizes: they are read by their indexes, whatever the statistics say, and planned once per connection.
 */
const SETTINGS = [
  'set search_path = {schema}, pg_temp',
  'set enable_seqscan = off',
  'set enable_hashjoin = off',
  'set enable_mergejoin = off',
  'set enable_bitmapscan = off',
  'set jit = off',
  'set plan_cache_mode = force_generic_plan',
].join(' ');

/** Every step of the schema, oldest first: the step at index 0 leads to version 1. A step is never changed. */
export const MIGRATIONS: readonly string[] = [FIRST.join('')];

/** One step, written for a schema of this name. What the name looks like is never read as part of the step. */
export function migrationFor(step: string, schema: string): string {
  const values: Readonly<Record<string, string>> = {
    '{schema}': quoteName(schema),
    '{channel}': quoteText(channelOf(schema)),
    '{lock}': String(lockOf(schema)),
  };
  return step
    .replaceAll('{settings}', SETTINGS)
    .replace(/\{(?:schema|channel|lock)\}/g, (name) => values[name] ?? name);
}

/** A text between dollar signs, with a tag that does not stand in it. */
export function dollarQuote(text: string, tag: string): string {
  const used = text.includes(`$${tag}`) ? `${tag}_` : tag;
  return used === tag ? `$${tag}$${text}$${tag}$` : dollarQuote(text, used);
}

/** A name as SQL writes it. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as SQL writes it. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** What idle workers listen to: a plain name, which every client sends alike. */
export function channelOf(schema: string): string {
  return `retry_${(lockOf(schema) >>> 0).toString(16)}`;
}

/** The first half of the advisory locks of this schema: a 32-bit hash of its name. */
export function lockOf(schema: string): number {
  let hash = 0x72657472;
  for (const letter of schema) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return hash;
}
