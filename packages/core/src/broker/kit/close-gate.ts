import { BrokerError } from '../broker.ts';

/** Passes the calls of a broker until it is closed. */
export interface CloseGate {
  /** Makes the call and counts it as under way until it is answered; rejects with `BROKER_CLOSED` after `close`. */
  readonly pass: <Answer>(call: () => Answer | Promise<Answer>) => Promise<Answer>;
  /** Whether `close` was called, though calls may still be under way. */
  readonly isClosed: () => boolean;
  /** Rejects later calls; resolves when those under way have been answered. */
  readonly close: () => Promise<void>;
}

/** Creates an open gate. @param broker - its kind: `memory`, `Redis`, `Postgres` */
export function createCloseGate(broker: string): CloseGate {
  let isClosed = false;
  // Counted: a `Set` of promises, which moves to another table again and again, would keep old answers until a full collection.
  let underWay = 0;
  const closing: (() => void)[] = [];
  const end = (): void => {
    underWay -= 1;
    if (underWay === 0) for (const resolve of closing) resolve();
  };
  return {
    isClosed: () => isClosed,
    // Not async: every call of a worker comes here.
    pass: (call) => {
      if (isClosed) return Promise.reject(closedError(broker));
      try {
        const answer = call();
        if (!(answer instanceof Promise)) return Promise.resolve(answer);
        underWay += 1;
        answer.then(end, end);
        return answer;
      } catch (error) {
        return Promise.reject(error);
      }
    },
    close: async () => {
      isClosed = true;
      if (underWay > 0) await new Promise<void>((resolve) => closing.push(resolve));
    },
  };
}

/** Returns the error of a call after `close`. @param broker - its kind: `memory`, `Redis`, `Postgres` */
export function closedError(broker: string): BrokerError<'BROKER_CLOSED'> {
  return new BrokerError('BROKER_CLOSED', `the ${broker} broker is closed. Create another one.`);
}
