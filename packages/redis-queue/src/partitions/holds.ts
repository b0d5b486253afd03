import type { Broker, Hold, ResumeAnswer } from '@retry/core/broker';
import { compareHolds } from '@retry/core/broker/kit';

type Holding = Pick<Broker, 'hold' | 'resume' | 'holds'>;

/**
 * Joins the holds of several partitions. Every partition keeps all holds, and has answered before the call is; each lets through a
 * run of its own where a hold probes.
 */
export function joinHolds(parts: readonly Holding[]): Holding {
  return {
    hold: async (requests) => {
      await Promise.all(parts.map((part) => part.hold(requests)));
    },
    resume: async (requests) => {
      const answers = await Promise.all(parts.map((part) => part.resume(requests)));
      return requests.map(
        (_, index): ResumeAnswer => (answers.some((of) => of[index] === 'resumed') ? 'resumed' : 'none'),
      );
    },
    holds: async () => joinLists(await Promise.all(parts.map((part) => part.holds()))),
  };
}

/** One hold for each lane and source: of those that probe the one that does so next, of others the one that ends last. */
function joinLists(lists: readonly (readonly Hold[])[]): readonly Hold[] {
  const joined = new Map<string, Hold>();
  for (const hold of lists.flat()) {
    const key = JSON.stringify([hold.lane, hold.source]);
    const known = joined.get(key);
    if (known === undefined || isToShow(hold, known)) joined.set(key, hold);
  }
  return [...joined.values()].sort(compareHolds);
}

function isToShow({ until = Infinity, probeMs }: Hold, known: Hold): boolean {
  const knownUntil = known.until ?? Infinity;
  return probeMs === undefined ? until > knownUntil : until < knownUntil;
}
