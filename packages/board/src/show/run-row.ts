import type { RunView } from '@retry/worker';
import type { RunRow } from '../api.ts';
import type { Mask } from './mask.ts';
import { cut, shownText } from './shown-text.ts';

const MAX_MESSAGE = 512;

/** Returns a run as tables have it. */
export function runRow(run: RunView, mask: Mask): RunRow {
  const { id, task, version, lane, state, attempt, submittedAt, startedAt, runAt, endedAt } = run;
  const error = run.errors.at(-1);
  return {
    ...{ id, task, version, lane, state: state as RunRow['state'], attempt }, // a stored run has been submitted
    ...(submittedAt !== undefined && { submittedAt }),
    ...(startedAt !== undefined && { startedAt }),
    ...(runAt !== undefined && { runAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(error && { error: { name: cut(error.name, MAX_MESSAGE), message: shownMessage(run, mask) } }),
  };
}

function shownMessage({ task, version, errors }: RunView, mask: Mask): string {
  const value = errors.at(-1)?.message ?? '';
  return shownText({ kind: 'message', task, version, value }, { mask, limit: MAX_MESSAGE }).text;
}
