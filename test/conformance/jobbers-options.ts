import type { JobbersOptions } from '@retry/core/dialects';
import { makeErrorClasses, type Names } from './error-classes.ts';

type Config = Omit<JobbersOptions, 'expected_exceptions'> & {
  readonly expected_exceptions?: Names | null;
};

/** The task options in every case of Jobbers. */
export interface JobbersCase {
  readonly config: Config;
  readonly version?: JobbersOptions['version'];
}

/** The options of a case, with classes for the names of exceptions. */
export function optionsOf({ config, version }: JobbersCase, classOf = makeErrorClasses()): JobbersOptions {
  const { expected_exceptions, ...rest } = config;
  return {
    ...rest,
    ...(version !== undefined && { version }),
    ...(expected_exceptions !== undefined && {
      expected_exceptions: expected_exceptions && (classOf.of(expected_exceptions) as []),
    }),
  };
}
