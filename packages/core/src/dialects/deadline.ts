import type { PolicyInput } from '../policy/policy.ts';
import { type DialectWarning, warnIf } from './dialect.ts';

/** A limit on the time of all attempts together, which other systems compare in another way than `totalTimeout`. */
export interface Deadline<Values> {
  /** The name of its option. */
  readonly option: string;
  /** Returns milliseconds: `Infinity` is no limit, and 0 allows the first attempt alone. */
  readonly limitOf: (values: Values) => number;
  /** What is different there, as a sentence without its end. */
  readonly there: string;
}

/** What is remarked on systems that compare the limit with the end of the wait. */
export const ATTEMPT_GOES_ON: string =
  'there the limit ends the retrying only, and an attempt that is running goes on; here it is ended';

/** What is remarked on systems that shorten the last wait to the time that is left. */
export const LAST_WAIT_CUT: string = `${ATTEMPT_GOES_ON}. The last wait is cut there to the time that is left, so that one attempt more is made`;

/** What is remarked on systems that compare the limit after an attempt. */
export const WAIT_NOT_COUNTED: string = `${ATTEMPT_GOES_ON}. The wait is not counted there, so that one attempt more may be made`;

/** Returns what of a policy says the limit. */
export function untilDeadline<Values>(deadline: Deadline<Values>, values: Values): PolicyInput {
  const limitMs = deadline.limitOf(values);
  return limitMs > 0 ? { totalTimeout: limitMs } : { maxAttempts: 1 };
}

/** Returns the warning of a limit that is not 0 or endless, which a policy says exactly. */
export function warnDeadline<Values>(
  { option, limitOf, there }: Deadline<Values>,
  values: Values,
): DialectWarning | undefined {
  const limitMs = limitOf(values);
  return warnIf(limitMs > 0 && limitMs < Infinity, {
    code: 'DIFFERS',
    path: option,
    message: there,
    cure: 'Extend the policy by a longer totalTimeout, if an attempt may take long.',
  });
}
