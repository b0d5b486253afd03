import type { GetOptions, GetRuns, RunsAnswers } from '../../broker.ts';
import type { Reading } from '../../change.ts';

/** The functions by which a broker reads runs. */
interface RunSources {
  /** Reads whole runs, and collects. */
  readonly runs: (
    ids: readonly string[],
    options?: GetOptions<'runs' | 'none'>,
  ) => Promise<RunsAnswers['runs']>;
  /** Reads runs that may be changed. */
  readonly seen: (ids: readonly string[]) => Promise<Reading>;
}

/** Returns the verb that reads runs by one of these functions. */
export function getBy({ runs, seen }: RunSources): GetRuns {
  const get = (ids: readonly string[], { answer = 'runs', ...options }: GetOptions = {}) =>
    answer === 'seen' ? seen(ids) : runs(ids, { ...options, answer });
  return get as GetRuns; // the answer that the option names
}
