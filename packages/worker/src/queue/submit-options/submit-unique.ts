import { createHash } from 'node:crypto';
import type { Duration } from '@retry/core';
import { MAX_INSTANT_AT } from '@retry/core';
import type { Unique } from '@retry/core/broker';
import { partitionTag, textProblem } from '@retry/core/broker/kit';
import type { Fields, Report, Synonyms } from '@retry/core/fields';
import { readFields } from '@retry/core/fields';

/** What makes at most one run of a key be there at a time. */
export interface UniqueOptions {
  /** Names the piece of work within the task, whatever its version: 1 to 512 bytes. */
  readonly key: string;
  /**
   * How long the run has the key:
   *
   * - `'started'`: until a worker claims it, so that one more can wait while it runs
   * - `'ended'`: until it has ended, its retries included
   * - a duration > 0: for this long from the submission, whatever becomes of the run
   *
   * A run that an operator redrives does not get its key back.
   *
   * @default 'ended'
   */
  readonly until?: 'started' | 'ended' | Duration | undefined;
  /**
   * What a submission does while another run has the key: `'keep'` submits nothing and returns that run. `'replace'` submits the new
   * one, which has the key from then on, and cancels the other one if it waits, also for another attempt: with a `delay`, only the last of many in
   * a row is run. One that has started keeps running.
   *
   * @default 'keep'
   */
  readonly onConflict?: 'keep' | 'replace' | undefined;
}

const KEYS = ['key', 'until', 'onConflict'];

/** Names of our keys in other libraries. */
const SYNONYMS: Synonyms = [
  [/^(id|name|fields|keys|args|by(Args|Fields|Keys))$/, 'key'],
  [/^(ttl|for|period|by_?period|window|duration|seconds|expires?(In)?)$/i, "until: '10s'"],
  [/^(states?|by_?states?|while)$/i, "until: 'ended' or 'started'"],
  [/^(replace|override|strategy|debounce|on_?duplicate|conflict)$/i, "onConflict: 'replace'"],
  [/^keepLastIfActive$/, "until: 'started', onConflict: 'replace'"],
];

const EXAMPLE = "Use unique: { key: 'user-1', until: 'ended' }.";

/** Reads the option `unique`; wrong values are reported. */
export function readUnique(fields: Fields, report: Report, taskName: string): Unique | undefined {
  const given = fields.value('unique');
  if (given === undefined) return undefined;
  if (fields.value('key') !== undefined)
    fields.fail('unique', 'cannot be combined with key', 'A key outlives its run: leave out one of them.');
  const inner = readFields(given, fields.path('unique'), { keys: KEYS, synonyms: SYNONYMS, report });
  if (inner === undefined) return undefined;
  const key = inner.value('key');
  const problem = textProblem(key);
  if (problem !== undefined) inner.fail('key', problem, EXAMPLE);
  return {
    key: tagOf(taskName, typeof key === 'string' ? key : ''),
    until: readUntil(inner),
    onConflict: inner.choice('onConflict', 'keep', ['keep', 'replace']),
  };
}

function readUntil(fields: Fields): Unique['until'] {
  const until = fields.value('until');
  if (until === undefined) return 'ended';
  if (until === 'started' || until === 'ended') return until;
  return fields.duration('until', undefined, {
    finite: true,
    accepts: (ms) => ms > 0 && ms <= MAX_INSTANT_AT,
    message: "must be 'started', 'ended' or a finite duration > 0",
  });
}

/**
 * Returns the key of a task as brokers take it: the tag of the run's id. Task names contain no @, so no two tasks share a key; what
 * cannot be a tag is replaced by its hash.
 */
function tagOf(taskName: string, key: string): string {
  const tag = `${taskName}@${key}`;
  if (partitionTag(`{${tag}}`) === tag) return tag;
  return `@${createHash('sha256').update(tag).digest('base64url')}`;
}
