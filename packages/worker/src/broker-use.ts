import type { Broker } from '@retry/core/broker';

interface Use {
  workers: number;
  /** A worker that used it was stopped by a signal: the process is about to end. */
  isProcessEnding: boolean;
}

const USES = new WeakMap<Broker, Use>();

/** Counts a worker that works over the broker. */
export function useBroker(broker: Broker): void {
  const use = USES.get(broker) ?? { workers: 0, isProcessEnding: false };
  use.workers += 1;
  USES.set(broker, use);
}

/**
 * Counts a worker that has stopped. The last one closes a broker that owns its connection if a signal stopped any of
 * them: the connection would keep the process alive, and no caller holds it.
 */
export async function leaveBroker(
  broker: Broker,
  { isProcessEnding }: Pick<Use, 'isProcessEnding'>,
): Promise<void> {
  const use = USES.get(broker);
  if (use === undefined) return;
  use.workers -= 1;
  use.isProcessEnding ||= isProcessEnding;
  if (use.workers === 0 && use.isProcessEnding && broker.ownsConnection === true) await broker.close();
}
