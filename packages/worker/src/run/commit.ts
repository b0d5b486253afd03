import type { Broker, HeartbeatRequest } from '@retry/core/broker';
import { settledBy } from '@retry/core/broker/kit';

/**
 * Asks the broker whether a claim was completed in a transaction of its handler that has been committed. Such a commit ends the lease,
 * so heartbeats and other settlements of the claim are refused from then on, as they are where another worker has the run.
 */
export async function isCommitted(
  { get }: Pick<Broker, 'get'>,
  { id, epoch }: HeartbeatRequest,
): Promise<boolean> {
  const [run] = await get([id]);
  // Only runs that have ended are ever forgotten.
  return run === undefined || run.settledBy === settledBy(epoch, 'complete');
}
