import type { Broker, ReadFigures } from '@retry/core/broker';
import type { FigureSources } from '@retry/core/broker/kit';

/** Returns a function for each kind of figures of a broker that has them. */
export function figuresOf({ broker }: { readonly broker: Broker }): FigureSources {
  if (broker.figures === undefined) throw new Error('the broker has no figures');
  return sourcesOf(broker.figures);
}

/** Returns the functions that a verb asks. */
export function sourcesOf(figures: ReadFigures): Required<FigureSources> {
  return {
    lanes: async (lanes) => (await figures({ lanes })).lanes,
    attempts: async (attempts) => (await figures({ attempts })).attempts,
    dueTimes: async (dueTimes) => (await figures({ dueTimes })).dueTimes,
    groups: async (groups) => (await figures({ groups })).groups,
    memory: async () => (await figures({ memory: true })).memory,
  };
}
