import type { Broker, HeartbeatAnswer } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';

/** What the thread counts, in memory that it shares with the test. */
const COUNTS = ['opened', 'heartbeats', 'leases', 'closed', 'crash'] as const;

/** Runs in the thread: counts, and ends the whole thread by an error while `crash` is more than 0. */
const SOURCE = `
exports.open = ({ counts, refusal, refusals = Infinity, answer = 'ok', connectMs = 0 }) => {
  let isOffline = connectMs > 0;
  const isRefused = Atomics.add(counts, 0, 1) < refusals && refusal;
  const timer = setInterval(() => {
    if (Atomics.load(counts, 4) > 0) { Atomics.sub(counts, 4, 1); throw new Error('crashed'); }
  }, 10);
  return {
    ready: async () => {
      if (isRefused) throw new Error(refusal);
      await new Promise((resolve) => setTimeout(resolve, connectMs));
      isOffline = false;
    },
    heartbeat: async (leases) => {
      if (isOffline) throw new Error('offline');
      Atomics.add(counts, 1, 1);
      Atomics.store(counts, 2, leases.length);
      return leases.map(() => answer);
    },
    close: async () => { clearInterval(timer); Atomics.add(counts, 3, 1); },
  };
};`;

interface GuardOptions {
  /** Why the server accepts no connection. */
  readonly refusal?: string;
  /** How many it refuses. @default all */
  readonly refusals?: number;
  readonly answer?: HeartbeatAnswer;
  readonly connectMs?: number;
}

/** A broker in memory whose module counts in the thread; its options are those of the module. */
export function guardedBroker(options: GuardOptions = {}) {
  const counts = new Int32Array(new SharedArrayBuffer(COUNTS.length * 4));
  const memory = createMemoryBroker();
  const broker: Broker = {
    ...memory,
    facts: {
      heartbeats: {
        source: SOURCE,
        driver: { name: 'redis', from: import.meta.url },
        options: () => ({ ...options, counts }),
      },
    },
  };
  const count = (name: (typeof COUNTS)[number]): number => Atomics.load(counts, COUNTS.indexOf(name));
  const crash = (times: number): void => void Atomics.store(counts, COUNTS.indexOf('crash'), times);
  return { broker, count, crash };
}
