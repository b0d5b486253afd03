import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import type { Backoff, ErrorDelays, Jitter } from './delays.ts';
import type { PolicySettings } from './policy.ts';
import { readBackoff } from './read-backoff.ts';
import { readJitter } from './read-jitter.ts';
import { readMatchers } from './read-rules.ts';
import type { Registry } from './strategy.ts';

/** The delays of a policy: its own, and those after classes of errors. */
export type Delays = Pick<PolicySettings, 'backoff' | 'jitter' | 'delays' | 'immediateFirst'>;

/** What the delays are read with. */
interface DelaysContext {
  /** The backoff of the policy. */
  readonly backoff: Backoff;
  readonly registry: Registry;
  readonly report: Report;
}

/** Reads `jitter`, `delays` and `immediateFirst`. */
export function readDelays(fields: Fields, context: DelaysContext): Delays {
  const { backoff, report } = context;
  const jitter = readJitter(fields, defaultJitter(backoff), report);
  const written = fields.value('jitter') === undefined ? undefined : jitter;
  return {
    backoff,
    delays: readErrorDelays(fields, context, written),
    immediateFirst: fields.choice('immediateFirst', false, [true, false]),
    jitter,
  };
}

/** Backoffs that do not wait, or that are random already, have no jitter by default. */
function defaultJitter({ type }: Backoff): 'none' | 'full' {
  return type === 'decorrelated' || type === 'none' ? 'none' : 'full';
}

const DELAYS_CURE = "Use delays: [{ on: [{ status: 429 }], backoff: { type: 'constant', base: '10s' } }].";

const NO_DELAYS: readonly ErrorDelays[] = Object.freeze([]);

/** Reads the delays by class of error. @param jitter - that of the policy, if it is written */
function readErrorDelays(
  policy: Fields,
  { registry, report }: DelaysContext,
  jitter: Jitter | undefined,
): readonly ErrorDelays[] {
  const given = policy.value('delays');
  if (given === undefined) return NO_DELAYS;
  if (!Array.isArray(given)) {
    policy.fail('delays', 'must be a list', DELAYS_CURE);
    return NO_DELAYS;
  }
  return Object.freeze(
    Array.from(given, (entry: unknown, index): ErrorDelays => {
      const fields = readFields(entry, `delays[${index}]`, { keys: ['on', 'backoff', 'jitter'], report });
      if (fields === undefined) return { on: [], backoff: { type: 'none' }, jitter: 'none' };
      const on = readMatchers(fields, 'on', report);
      if (on.length === 0) fields.fail('on', 'must be a list of at least one matcher', DELAYS_CURE);
      if (fields.value('backoff') === undefined) fields.fail('backoff', 'must be a backoff', DELAYS_CURE);
      const backoff = readBackoff(fields, registry, report);
      const own = readJitter(fields, jitter ?? defaultJitter(backoff), report);
      return Object.freeze({ on, backoff, jitter: own });
    }),
  );
}
