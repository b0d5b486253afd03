import { BrokerError } from '../broker-error.ts';

/** Passes the calls of a broker until it is closed. */
export interface CloseGate {
  /** Makes the call and counts it as under way until it is answered; rejects with `BROKER_CLOSED` after `close`. */
  readonly pass: <Answer>(call: () => Answer | Promise<Answer>) => Promise<Answer>;
  readonly isClosed: () => boolean;
  /** Rejects later calls; resolves when those under way have been answered. */
  readonly close: () => Promise<void>;
}

/** Creates an open gate. @param broker - its kind: `memory`, `Redis`, `Postgres` */
export function createCloseGate(broker: string): CloseGate {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    isClosed: () => isClosed,
    // Not async: every call of a worker comes here.
    pass: (call) => {
      if (isClosed) return Promise.reject(closedError(broker));
      try {
        const answer = call();
        if (!(answer instanceof Promise)) return Promise.resolve(answer);
        underWay.add(answer);
        const end = (): void => void underWay.delete(answer);
        answer.then(end, end);
        return answer;
      } catch (error) {
        return Promise.reject(error);
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled(underWay);
    },
  };
}

/** Returns the error of a call after `close`. @param broker - its kind: `memory`, `Redis`, `Postgres` */
export function closedError(broker: string): BrokerError<'BROKER_CLOSED'> {
  return new BrokerError('BROKER_CLOSED', `the ${broker} broker is closed. Create another one.`);
}
