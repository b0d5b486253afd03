import { isDeadLetter } from '../../../lifecycle/arrows.ts';
import { isEnd } from '../../../lifecycle/run-state.ts';
import type { ListQuery, RunPage } from '../../broker.ts';
import type { Run } from '../../run.ts';
import { copyRun } from '../copy-run.ts';
import { sizedPage } from '../storable/batches.ts';

/** Returns whether a list has this run. */
export function isListed(run: Run, query: ListQuery): boolean {
  const { state, lane, errorGroup, endedBefore, errorName, disposable } = query;
  if (run.state !== state) return false;
  if (lane !== undefined && run.lane !== lane) return false;
  if (errorGroup !== undefined && run.errorGroup !== errorGroup) return false;
  if (errorName !== undefined && run.errors.at(-1)?.name !== errorName) return false;
  if (disposable === 'omit' && isDeadLetter(state) && run.isDisposable === true) return false;
  if (endedBefore === undefined) return true;
  return isEnd(state) && run.endedAt !== undefined && run.endedAt < endedBefore;
}

/**
 * Returns a page of the runs that were found, in their order.
 *
 * @param found - one more than the page may have, if there are more
 * @param cursorOf - the cursor of a page that ends with this one
 */
export function pageOfRuns<Found extends { readonly run: Run }>(
  { limit, payloads }: ListQuery,
  found: readonly Found[],
  cursorOf: (last: Found) => string,
): RunPage {
  const listed = found.slice(0, limit).map(({ run }) => run);
  const runs = sizedPage(payloads === 'omit' ? listed.map(withoutTexts) : listed);
  const last = found[runs.length - 1];
  if (last === undefined || runs.length === found.length) return { runs };
  return { runs, next: cursorOf(last) };
}

/** Returns the run without payload and result. */
export function withoutTexts(run: Run): Run {
  const copy = copyRun(run);
  copy.payload = '';
  copy.result = undefined;
  copy.trimmed = undefined;
  return copy;
}

/** Returns the run as it is read for a change: without payload and result, but with the mark that retention deleted its payload. */
export function runToChange(run: Run): Run {
  const isTrimmed = run.trimmed?.includes('payload');
  return isTrimmed ? { ...withoutTexts(run), trimmed: ['payload'] } : withoutTexts(run);
}
