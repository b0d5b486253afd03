import type { AttemptError, ErrorGroupName, Run, Settlement } from '@retry/core/broker';
import { groupOf } from '@retry/core/broker/kit';
import { fingerprint } from '@retry/core/failures';

/** Counts the dead letters that ended at a limit: their errors, if they have any, are not why. */
export const RATE_LIMITED: ErrorGroupName = { id: 'rate-limited', title: 'Rate limited' };

/** Returns the settlement with what its run is counted under, if it makes a dead letter of it. Pure. */
export function withGroup(settlement: Settlement): Settlement {
  const group = groupOf(settlement.next) && groupOfRun(settlement.next);
  return group === undefined ? settlement : { ...settlement, group };
}

/** Returns what a dead letter with this stored error is counted under: nothing that `redact` hides plays a part. */
export function groupOfError(error: Omit<AttemptError, 'epoch' | 'at'>): ErrorGroupName {
  return fingerprint(error);
}

function groupOfRun({ state, errors }: Run): ErrorGroupName | undefined {
  if (state === 'rateLimited') return RATE_LIMITED;
  const latest = errors.at(-1);
  return latest && groupOfError(latest);
}
