import { isRetryError } from '@retry/core';
import { isRefusedInput } from '@retry/core/broker/kit';
import { isMissingRight } from './rights.ts';

/** How a server reports an error in a script; older ones append the error of the command. */
const OF_A_SCRIPT = /@user_script: ?\d+: -?(?<code>[A-Z]+) /;

/** Codes of commands that the server would refuse again. */
const REFUSALS = new Set(['ERR', 'WRONGTYPE', 'EXECABORT', 'CROSSSLOT']);

/**
 * `ERR` is also the code of errors that pass, or that an operator can end: a command that was renamed or that the server is too
 * old for, too many clients, a script that was killed.
 */
const NOT_ABOUT_INPUT =
  /unknown (?:sub)?command|max number of clients|killed|AUTH|DENIED|disabled|not allowed|no such key|timed? ?out/i;

/**
 * Returns whether a call that was rejected with this error would be rejected again. Not so for errors of the connection (a client's
 * own), for states of the server that pass (`LOADING`, `BUSY`, `OOM`, `READONLY`, `MOVED`, `CLUSTERDOWN`, …), and for missing rights
 * (`NOPERM`), which an operator may grant.
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
    return ''; // an error that cannot be read does not blame the input
  }
}
