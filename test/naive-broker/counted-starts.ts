import type { Reservation, Reserved, StartCorrection } from '@retry/core/broker';

/** Starts that were granted at one instant. */
interface Grant {
  readonly key: string;
  readonly at: number;
  starts: number;
}

/** Creates the limits of starts: a list of all grants, from which each answer is counted. */
export function createReservations(): (request: Reservation | StartCorrection, now: number) => Reserved {
  const grants: Grant[] = [];

  const grantAt = (key: string, at: number) => grants.find((grant) => grant.key === key && grant.at === at);

  function correct({ key, grantedAt, count }: StartCorrection): Reserved {
    const known = grantAt(key, grantedAt);
    if (known !== undefined) known.starts = Math.max(0, known.starts + count);
    return { granted: 0 };
  }

  return (request, now) => {
    if ('grantedAt' in request) return correct(request);
    const { key, limit, windowMs, count, least = 1 } = request;
    const counted = (): readonly Grant[] =>
      grants.filter((grant) => grant.key === key && grant.at > now - windowMs);
    const left = limit - sumOf(counted());
    const granted = left < least ? 0 : Math.min(count, left);
    const known = grantAt(key, now);
    if (known !== undefined) known.starts += granted;
    else if (granted > 0) grants.push({ key, at: now, starts: granted });
    const answer = granted > 0 ? { granted, grantedAt: now } : { granted };
    if (granted === count) return answer;
    let kept = sumOf(counted());
    const last = counted().find(({ starts }) => {
      kept -= starts;
      return kept <= limit - least;
    });
    return { ...answer, availableAt: (last?.at ?? now) + windowMs };
  };
}

function sumOf(grants: readonly Grant[]): number {
  return grants.reduce((sum, { starts }) => sum + starts, 0);
}
