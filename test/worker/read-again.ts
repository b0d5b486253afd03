import type { Broker, ExchangeRequest } from '@retry/core/broker';
import { checkInput, TrustedExchange, TrustedWait } from '@retry/core/broker/kit';

/** Reads each request again that a worker sends unread. @returns the broker, and what the check refuses or would change */
export function readAgain<Kept extends Broker>(
  broker: Kept,
): { readonly broker: Kept; readonly wrong: readonly unknown[] } {
  const wrong: unknown[] = [];
  const note = (error: unknown): void => void wrong.push(error);
  let sent: ExchangeRequest = {};
  const reader = checkInput({
    ...broker,
    exchange: async ({ settle, claim }) => {
      if (settle !== sent.settle || claim !== sent.claim) wrong.push({ sent, stored: settle });
      return { settled: [], claimed: [], now: 0 };
    },
    wait: async () => {},
  });
  const exchange: Broker['exchange'] = (request) => {
    sent = request;
    if (request instanceof TrustedExchange) reader.exchange({ ...request }).catch(note);
    return broker.exchange(request);
  };
  const wait: Broker['wait'] = (request) => {
    if (request instanceof TrustedWait) reader.wait({ ...request }).catch(note);
    return broker.wait(request);
  };
  return { broker: { ...broker, exchange, wait }, wrong };
}
