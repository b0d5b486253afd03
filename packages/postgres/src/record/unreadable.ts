import type { AttemptError, Run, Settlement } from '@retry/core/broker';
import { newRun, transitionRun } from '@retry/core/broker';

/** The name of the error of a run that is set aside because what is stored of it cannot be read. */
export const UNREADABLE = 'UNREADABLE_RUN';

const MESSAGE =
  'what is stored of the run, the column record, cannot be read: it counts as if nothing were there';

/** What a run is said to have failed by whose record cannot be read. */
export function unreadableError(epoch: number, at: number): AttemptError {
  return { epoch, at, name: UNREADABLE, message: MESSAGE };
}

/** A started run whose record cannot be read. */
export interface UnreadableRun {
  readonly id: string;
  readonly lane: string;
  readonly epoch: number;
  /** When it was found, or started. */
  readonly at: number;
  readonly onlyIfExpired?: boolean;
}

/** Makes it a dead letter, by an outcome that says all there is to say. */
export function settleUnreadable({ id, lane, epoch, at, onlyIfExpired = false }: UnreadableRun): Settlement {
  const blank: Run = newRun({ id, lane, payload: '', concurrency: undefined });
  // What it was charged for is not known: it counts from this attempt on.
  const started: Run<'started'> = {
    ...blank,
    state: 'started',
    epoch,
    resetEpoch: epoch - 1,
    firstStartedAt: at,
  };
  const failed = transitionRun(started, { type: 'fail', at });
  if (failed.type === 'rejected') throw new Error('a started run can fail');
  const next = { ...failed.run, errors: [unreadableError(epoch, at)] };
  return { id, epoch, event: 'fail', next, onlyIfExpired };
}
