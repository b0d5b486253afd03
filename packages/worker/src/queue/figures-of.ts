import type { Broker, ReadFigures } from '@retry/core/broker';
import { InsightError } from '../errors.ts';

/** Returns the verb for figures. @param call - what needs it. @throws {InsightError} `NO_INSIGHT` when the broker has none */
export function figuresOf({ figures }: Broker, call: string): ReadFigures {
  if (figures !== undefined) return figures;
  throw new InsightError(call);
}
