import { HttpError } from './call-server.ts';
import { groupDrawn, groupRaised } from './delay-groups.ts';
import { LIMITS } from './policy.ts';
import type { RequestRecord } from './request-record.ts';
import { attemptsOf } from './request-record.ts';

/** A statement about the run of the demo, and whether it holds. */
export interface Claim {
  readonly text: string;
  readonly holds: boolean;
}

/** Timers count whole milliseconds, at both ends. */
const TIMER_GRAIN_MS = 2;

/**
 * Checks what retrying promises against what happened.
 *
 * @param serverAttempts - the attempts that the server counted
 */
export function checkClaims(records: readonly RequestRecord[], serverAttempts: number): readonly Claim[] {
  return [
    claimSettled(records),
    claimGivenUp(records),
    claimDelays(records),
    claimWaits(records),
    claimCounts(records, serverAttempts),
  ];
}

function claimSettled(records: readonly RequestRecord[]): Claim {
  const succeeded = records.filter(({ outcome }) => outcome === 'succeeded').length;
  const givenUp = records.filter(({ outcome, stop }) => outcome === 'given up' && stop !== undefined).length;
  return {
    text: `every request settled: ${succeeded} succeeded, ${givenUp} given up`,
    holds: succeeded + givenUp === records.length,
  };
}

function claimGivenUp(records: readonly RequestRecord[]): Claim {
  const stopped = records.filter(({ stop }) => stop !== undefined);
  const exhausted = stopped.filter(isExhausted).length;
  const others = exhausted === 0 ? '' : `, and ${exhausted} after all ${LIMITS.maxAttempts} attempts`;
  return {
    text: `only the missing order was given up${others}`,
    holds: stopped.every((record) => isMissing(record) || isExhausted(record)),
  };
}

function isMissing({ stop }: RequestRecord): boolean {
  return stop?.reason === 'unexpected' && stop.error instanceof HttpError && stop.error.status === 404;
}

function isExhausted(record: RequestRecord): boolean {
  return record.stop?.reason === 'exhausted' && attemptsOf(record) === LIMITS.maxAttempts;
}

function claimDelays(records: readonly RequestRecord[]): Claim {
  const groups = [...groupDrawn(records), groupRaised(records)];
  return {
    text: 'every delay is within its delayBounds, or was raised to what the server asked for',
    holds: groups.every(({ delaysMs, kept }) => kept === delaysMs.length),
  };
}

function claimWaits(records: readonly RequestRecord[]): Claim {
  return {
    text: 'no attempt started before its delay was over',
    holds: records.every(({ startedAt, retries }) =>
      retries.every(({ attempt, decidedAt, delayMs }) => {
        const nextAt = startedAt[attempt] ?? -Infinity;
        return nextAt - decidedAt >= delayMs - TIMER_GRAIN_MS;
      }),
    ),
  };
}

function claimCounts(records: readonly RequestRecord[], serverAttempts: number): Claim {
  const attempts = records.reduce((sum, record) => sum + attemptsOf(record), 0);
  return {
    text: `the server counted as many attempts as were made: ${serverAttempts} of ${attempts}`,
    holds: attempts === serverAttempts,
  };
}
