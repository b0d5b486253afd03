import type { Broker } from '@retry/core/broker';
import type { FigureSources } from '@retry/core/broker/kit';
import { sourcesOf } from '@retry/core/broker/kit';

/** Returns a function for each kind of figures of a broker that has them. */
export function figuresOf({ broker }: { readonly broker: Broker }): FigureSources {
  if (broker.figures === undefined) throw new Error('the broker has no figures');
  return sourcesOf(broker.figures);
}
