import type { Reservation, Reserved } from '@retry/core/broker';

/** Starts that were granted at one instant. */
interface Grant {
  readonly key: string;
  readonly at: number;
  readonly starts: number;
}

/** Creates the limits of starts: a list of all grants, from which each answer is counted. */
export function createReservations(): (request: Reservation, now: number) => Reserved {
  const grants: Grant[] = [];

  return ({ key, limit, windowMs, count }, now) => {
    const counted = (): readonly Grant[] =>
      grants.filter((grant) => grant.key === key && grant.at > now - windowMs);
    const granted = Math.min(count, Math.max(0, limit - sumOf(counted())));
    if (granted > 0) grants.push({ key, at: now, starts: granted });
    if (granted === count) return { granted };
    let left = sumOf(counted());
    const last = counted().find(({ starts }) => {
      left -= starts;
      return left < limit;
    });
    return { granted, availableAt: (last?.at ?? now) + windowMs };
  };
}

function sumOf(grants: readonly Grant[]): number {
  return grants.reduce((sum, { starts }) => sum + starts, 0);
}
