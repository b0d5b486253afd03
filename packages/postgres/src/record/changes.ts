import type { Change, Run } from '@retry/core/broker';
import {
  DESTINATION_LETTERS,
  groupOf,
  STATE_LETTERS,
  spentAttempts,
  stateOfLetter,
} from '@retry/core/broker/kit';
import { isEnd } from '@retry/core/lifecycle';
import { downToWhole, upToWhole } from '../driver/sql-values.ts';
import type { ArgumentsOf } from '../schema/signatures.ts';
import { errorNameOf, isFresh, recordOf } from './record.ts';
import { deadLetterOfRun } from './settlements.ts';

/** What is sent in place of the letter of a destination. */
export const CHANGE_MARKS = { forget: '-', requestCancel: '+' } as const;

/** The arguments of `change_runs` that are about runs. */
type ChangeArguments = Omit<
  ArgumentsOf<'change_runs'>,
  'keepKeysMs' | 'noteKeys' | 'noteSeen' | 'noteValues' | 'noteTtlsMs' | 'noteEnds'
>;

/** Returns changes as arguments of `change_runs`. */
export function changeArguments(changes: readonly Change[]): ChangeArguments {
  const written = changes.map(({ next }) => (isWritten(next) ? next : undefined));
  const groups = changes.map(({ next, group }) => (isWritten(next) ? groupOf(next, group) : undefined));
  return {
    ids: changes.map(({ id }) => id),
    seen: changes.map((change) => (isPossible(change) ? change.seen : SEEN_BY_NONE)),
    destinations: changes.map(({ next }) => destinationOf(next)).join(''),
    instants: written.map((run) => run && instantOf(run)),
    errorNames: written.map((run) => run && errorNameOf(run)),
    results: written.map((run) => run?.result),
    records: written.map((run) => run && (isFresh(run) ? undefined : recordOf(run, run.settledBy))),
    groupIds: groups.map((group) => group?.id),
    groupTitles: groups.map((group) => group?.title),
    spent: written.map((run, index) => (groups[index] === undefined ? undefined : run && spentAttempts(run))),
  };
}

/** In place of what was seen where the change is not possible: no run is that, so the run is answered as one that has changed. */
const SEEN_BY_NONE = '';

/** Whether a run that was seen so can be changed so, if it still is that. */
function isPossible({ seen, next }: Change): boolean {
  const isStarted = stateOfLetter(seen.charAt(0)) === 'started';
  if (next === 'forget') return hasEnded({ seen });
  if (next.state === 'started') return isStarted;
  return !isStarted && !(hasEnded({ seen }) && isEnd(next.state));
}

/** Whether a run was seen that has ended: no transaction of a handler keeps it. */
export function hasEnded({ seen }: Pick<Change, 'seen'>): boolean {
  const state = stateOfLetter(seen.charAt(0));
  return state !== undefined && isEnd(state);
}

function isWritten(next: Change['next']): next is Run {
  return next !== 'forget' && next.state !== 'started';
}

function destinationOf(next: Change['next']): string {
  if (next === 'forget') return CHANGE_MARKS.forget;
  if (next.state === 'started') return CHANGE_MARKS.requestCancel;
  if (next.state === 'scheduled') return DESTINATION_LETTERS.schedule;
  if (!isEnd(next.state)) return DESTINATION_LETTERS.back;
  return deadLetterOfRun(next) ?? STATE_LETTERS[next.state];
}

/** When the run is due, rounded up so that it is never early, when it was submitted again, or when it ended. */
function instantOf(run: Run): number | undefined {
  if (run.state === 'scheduled') return upToWhole(run.runAt ?? 0);
  return downToWhole((isEnd(run.state) ? run.endedAt : run.submittedAt) ?? 0);
}
