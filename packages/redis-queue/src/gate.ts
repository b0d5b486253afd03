import { closedError } from '@retry/core/broker';

/** Every call of a broker passes here, until it is closed. */
export interface Gate {
  /** Answers, and is remembered as under way until then. */
  readonly pass: <Answer>(call: () => Promise<Answer>) => Promise<Answer>;
  readonly isClosed: () => boolean;
  /** Lets nothing more through; resolves when what was under way has ended. */
  readonly close: () => Promise<void>;
}

/** An open gate. */
export function createGate(): Gate {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    isClosed: () => isClosed,
    pass: async (call) => {
      if (isClosed) throw closedError('Redis');
      const answer = call();
      underWay.add(answer);
      try {
        return await answer;
      } finally {
        underWay.delete(answer);
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled(underWay);
    },
  };
}
