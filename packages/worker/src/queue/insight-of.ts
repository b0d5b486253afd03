import type { Broker, Insight } from '@retry/core/broker';
import { InsightError } from '../errors.ts';

/** Returns the insight of a broker. @param call - what needs it. @throws {InsightError} `NO_INSIGHT` when it has none */
export function insightOf({ insight }: Broker, call: string): Insight {
  if (insight !== undefined) return insight;
  throw new InsightError(call);
}
