import { isRetryError } from '@retry/core';
import { isRefusedInput } from '@retry/core/broker';
import { isMissingRight } from './rights.ts';

/** A script that failed as it did is reported in its own words; older servers put the reason of a command behind it. */
const OF_A_SCRIPT = /@user_script: ?\d+: -?(?<code>[A-Z]+) /;

/** What a server says of a command that it will never take, whoever sends it. */
const REFUSALS = new Set(['ERR', 'WRONGTYPE', 'EXECABORT', 'CROSSSLOT']);

/**
 * `ERR` is also what it says where an operator, or time, has to help: a command that was renamed or that the server is too
 * old for, no room for another client, a script that was killed.
 */
const NOT_ABOUT_INPUT =
  /unknown (?:sub)?command|max number of clients|killed|AUTH|DENIED|disabled|not allowed|no such key|timed? ?out/i;

/**
 * Whether a call that was rejected so would be rejected for ever. Errors of the connection (a client's own), and states of
 * the server that pass (`LOADING`, `BUSY`, `OOM`, `READONLY`, `MOVED`, `CLUSTERDOWN`, …) are none, nor are rights that
 * its user lacks (`NOPERM`): an operator may grant them, and the runs are as good as others.
 */
export function isRefusal(error: unknown): boolean {
  if (isRefusedInput(error) || isRetryError(error, 'NEEDS_ONE_PARTITION')) return true;
  const message = messageOf(error);
  if (isMissingRight(message)) return false;
  const code = /^-?(?<code>[A-Z]+) /.exec(message)?.groups?.['code'];
  const inner = OF_A_SCRIPT.exec(message)?.groups?.['code'] ?? code ?? '';
  return code !== undefined && REFUSALS.has(code) && REFUSALS.has(inner) && !NOT_ABOUT_INPUT.test(message);
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : '';
  } catch {
    return ''; // an object that cannot even be looked at says nothing about what was sent
  }
}
