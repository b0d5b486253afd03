import type { ExchangeRequest } from '../exchange.ts';
import type { AttemptError, Run } from '../run.ts';
import type { Settlement } from '../settlement.ts';
import type { RunDraft } from './copy-run.ts';
import { copyRun } from './copy-run.ts';

/** The instants of a run that are past when it is settled. */
const PAST_INSTANTS = [
  'resetAt',
  'createdAt',
  'submittedAt',
  'firstStartedAt',
  'startedAt',
  'heartbeatAt',
  'endedAt',
] as const satisfies readonly (keyof Run)[];

/**
 * Returns the exchange with whole milliseconds in every instant of its settlements: a worker's estimate of the broker's clock has
 * fractions. Past instants are rounded down, as the clock of record is, and when a run is due up, so that nothing is early.
 */
export function withWholeInstants(request: ExchangeRequest): ExchangeRequest {
  const { settle } = request;
  if (settle === undefined || settle.every(isWhole)) return request;
  return { ...request, settle: settle.map((one) => (isWhole(one) ? one : toWhole(one))) };
}

/** Key by key, because every settlement comes here: to read a run by a list of keys takes five times as long. */
function isWhole({ next }: Settlement): boolean {
  return (
    isWholeInstant(next.runAt) &&
    isWholeInstant(next.resetAt) &&
    isWholeInstant(next.createdAt) &&
    isWholeInstant(next.submittedAt) &&
    isWholeInstant(next.firstStartedAt) &&
    isWholeInstant(next.startedAt) &&
    isWholeInstant(next.heartbeatAt) &&
    isWholeInstant(next.endedAt) &&
    next.errors.every(({ at, startedAt }) => isWholeInstant(at) && isWholeInstant(startedAt))
  );
}

function isWholeInstant(at: number | undefined): boolean {
  return at === undefined || Number.isInteger(at);
}

function toWhole(settlement: Settlement): Settlement {
  const next = copyRun(settlement.next);
  for (const key of PAST_INSTANTS) roundDown(next, key);
  const { runAt } = next;
  if (runAt !== undefined) next.runAt = next.state === 'scheduled' ? Math.ceil(runAt) : Math.floor(runAt);
  next.errors = next.errors.map(withWholeStart);
  return { ...settlement, next };
}

function withWholeStart({ startedAt, ...error }: AttemptError): AttemptError {
  const whole = { ...error, at: Math.floor(error.at) };
  return startedAt === undefined ? whole : { ...whole, startedAt: Math.floor(startedAt) };
}

function roundDown(draft: RunDraft, key: (typeof PAST_INSTANTS)[number]): void {
  const at = draft[key];
  if (at !== undefined) draft[key] = Math.floor(at);
}
