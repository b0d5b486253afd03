import type { AttemptErrorView, RunView } from '@retry/worker';
import type { ShownError } from '../api.ts';
import type { Showing } from './shown-text.ts';
import { shownText } from './shown-text.ts';

/** Returns an error of a run as it is shown. */
export function shownError(
  { task, version }: Pick<RunView, 'task' | 'version'>,
  error: AttemptErrorView,
  showing: Showing,
): ShownError {
  const { name, message, stack, code, causeCode, status, retryAfterMs } = error;
  return {
    name,
    message: shownText({ kind: 'message', task, version, value: message }, showing),
    ...(stack !== undefined && {
      stack: shownText({ kind: 'stack', task, version, value: stack }, showing),
    }),
    ...(code !== undefined && { code }),
    ...(causeCode !== undefined && { causeCode }),
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
