import type { Broker, ReadFigures } from '@retry/core/broker';
import { InsightError } from '@retry/worker';

/** Returns what answers questions about a queue as a whole. @throws {InsightError} `NO_INSIGHT` for a broker that has none */
export function figuresOf({ figures }: Broker): ReadFigures {
  if (figures !== undefined) return figures;
  throw new InsightError('this command');
}
