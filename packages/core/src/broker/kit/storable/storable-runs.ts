import type { ExchangeRequest } from '../../exchange.ts';
import type { AttemptError, Run } from '../../run.ts';
import type { Settlement } from '../../settlement.ts';
import type { RunDraft } from '../copy-run.ts';
import { copyRun } from '../copy-run.ts';
import type { FieldOf } from '../run/run-fields.ts';
import { fieldsOf } from '../run/run-fields.ts';
import { isWholeInstant, keepableMs, keepablePast } from './instants.ts';

/** The instants of a run that are past when it is settled. */
const PAST_INSTANTS = fieldsOf('past');

/**
 * Returns the exchange with runs that every broker can store. Their epoch is that of the settlement. Instants are whole milliseconds
 * from 0 to the last one there is, because a worker's estimate of the broker's clock has fractions: past ones are rounded down, as the
 * clock of record is, and when a run is due up, so that nothing is early. A previous delay without end is the longest number.
 */
export function withStorableRuns(request: ExchangeRequest): ExchangeRequest {
  const { settle } = request;
  if (settle === undefined || settle.every(isStorable)) return request;
  return { ...request, settle: settle.map((one) => (isStorable(one) ? one : toStorable(one))) };
}

function isStorable({ epoch, next }: Settlement): boolean {
  return next.epoch === epoch && isStorableRun(next);
}

/**
 * Returns whether every broker can store the run as it is. Key by key, because every settlement comes here: to read a run by a list of
 * keys takes five times as long.
 */
export function isStorableRun(next: Run): boolean {
  return (
    isStorableInstant(next.runAt) &&
    isStorableInstant(next.resetAt) &&
    isStorableInstant(next.createdAt) &&
    isStorableInstant(next.submittedAt) &&
    isStorableInstant(next.firstStartedAt) &&
    isStorableInstant(next.startedAt) &&
    isStorableInstant(next.heartbeatAt) &&
    isStorableInstant(next.endedAt) &&
    next.previousDelayMs !== Infinity &&
    next.errors.every(({ at, startedAt }) => isStorableInstant(at) && isStorableInstant(startedAt))
  );
}

function isStorableInstant(at: number | undefined): boolean {
  return at === undefined || isWholeInstant(at);
}

function toStorable(settlement: Settlement): Settlement {
  const { epoch } = settlement;
  return { ...settlement, next: storableRun({ ...settlement.next, epoch }) };
}

/** Returns the run with instants and a previous delay that every broker can store. */
export function storableRun(run: Run): Run {
  if (isStorableRun(run)) return run;
  const next = copyRun(run);
  for (const key of PAST_INSTANTS) limit(next, key);
  const { runAt, previousDelayMs } = next;
  if (runAt !== undefined) next.runAt = next.state === 'scheduled' ? keepableMs(runAt) : keepablePast(runAt);
  if (previousDelayMs === Infinity) next.previousDelayMs = Number.MAX_VALUE;
  next.errors = next.errors.map(withStorableInstants);
  return next;
}

function withStorableInstants({ startedAt, ...error }: AttemptError): AttemptError {
  const whole = { ...error, at: keepablePast(error.at) };
  return startedAt === undefined ? whole : { ...whole, startedAt: keepablePast(startedAt) };
}

function limit(draft: RunDraft, key: FieldOf<'past'>): void {
  const at = draft[key];
  if (at !== undefined) draft[key] = keepablePast(at);
}
