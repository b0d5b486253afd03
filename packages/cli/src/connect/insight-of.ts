import type { Broker, Insight } from '@retry/core/broker';
import { InsightError } from '@retry/worker';

/** Returns what answers questions about a queue as a whole. @throws {InsightError} `NO_INSIGHT` for a broker that has none */
export function insightOf({ insight }: Broker): Insight {
  if (insight !== undefined) return insight;
  throw new InsightError('this command');
}
