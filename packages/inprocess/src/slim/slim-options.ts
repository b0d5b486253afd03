import type { RetryOptions } from '../call/options.ts';

/** As for the main entry, without what is about calls within calls. */
export type SlimOptions<Result = unknown> = Omit<RetryOptions<Result>, 'parent' | 'nested' | 'onNested'>;
