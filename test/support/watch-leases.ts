import type { Clock } from '@retry/core';
import type { Broker, HeartbeatRequest } from '@retry/core/broker';

/** Notes until when the broker has leased which run, by a clock that says the same as the broker's. */
export function watchLeases(broker: Broker, clock: Clock) {
  const ends = new Map<string, number>();
  const keyOf = ({ id, epoch }: HeartbeatRequest): string => `${id} ${epoch}`;
  const watched: Broker = {
    ...broker,
    exchange: async (request) => {
      const now = clock.now();
      const reply = await broker.exchange(request);
      for (const settlement of request.settle ?? []) ends.delete(keyOf(settlement));
      for (const { run } of reply.claimed) ends.set(keyOf(run), now + (request.claim?.leaseMs ?? 0));
      return reply;
    },
    heartbeat: async (beats, leaseMs) => {
      const now = clock.now();
      const answers = await broker.heartbeat(beats, leaseMs);
      for (const [index, beat] of beats.entries())
        if (leaseMs > 0 && answers[index] === 'ok') ends.set(keyOf(beat), now + leaseMs);
      return answers;
    },
  };
  return { watched, isLeased: (of: HeartbeatRequest) => clock.now() < (ends.get(keyOf(of)) ?? 0) };
}
