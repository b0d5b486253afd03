import type { Broker } from '@retry/core/broker';

/** Whether the broker refuses for good what was sent. An error that cannot even be looked at says nothing: no. */
export function isRefused(broker: Broker, error: unknown): boolean {
  try {
    return broker.isRefusal(error);
  } catch {
    return false;
  }
}
