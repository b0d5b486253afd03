import type { AttemptError, Run, Settlement } from '@retry/core/broker';
import { newRun, transitionRun, UNREADABLE_GROUP } from '@retry/core/broker/kit';
import { UNREADABLE_RUN } from '../errors.ts';

const MESSAGE = 'the stored record of the run cannot be read: the run is treated as one without a history';

/** Returns the error of a run whose record cannot be read. */
export function unreadableError(epoch: number, at: number): AttemptError {
  return { epoch, at, name: UNREADABLE_RUN, message: MESSAGE, reason: 'ended' };
}

/** A started run whose record cannot be read. */
export interface UnreadableRun {
  readonly id: string;
  readonly lane: string;
  readonly epoch: number;
  /** When it was started, or found. */
  readonly at: number;
  readonly onlyIfExpired?: boolean;
}

/** Returns the settlement that makes it a dead letter. */
export function settleUnreadable({ id, lane, epoch, at, onlyIfExpired = false }: UnreadableRun): Settlement {
  const blank: Run = newRun({ id, lane, payload: '', concurrency: undefined });
  // Its earlier attempts are not known: it is charged from this one on.
  const started: Run<'started'> = { ...blank, state: 'started', epoch, resetEpoch: epoch - 1, startedAt: at };
  const failed = transitionRun(started, { type: 'fail', at });
  if (failed.type === 'rejected') throw new Error('a started run can fail');
  const next = { ...failed.run, errors: [unreadableError(epoch, at)] };
  return { id, epoch, event: 'fail', next, onlyIfExpired, group: UNREADABLE_GROUP };
}
