import type { Report } from '@retry/core/fields';
import { POLICY_KEYS, readFields } from '@retry/core/fields';
import type { OptionRule } from './option-rules.ts';
import { OPTION_RULES } from './option-rules.ts';
import type { RetryOptions } from './options.ts';

/** Every option of a call. */
export const OPTION_KEYS = Object.keys(OPTION_RULES) as readonly (keyof RetryOptions)[]; // the keys of a Record are its key type

/** What people write out of habit from other libraries. */
const HABITS: Readonly<Record<string, string>> = {
  abortSignal: 'Use signal.',
  onFailedAttempt: 'Use onRetry.',
  onStop: 'Use onGiveUp.',
  retryResult: 'Use retryIfResult.',
};

/** Which options a function takes. */
export interface KnownOptions {
  readonly keys: readonly (keyof RetryOptions)[];
  /** Options of its own. */
  readonly others?: Readonly<Record<string, OptionRule>>;
  /** Cures of its own for options that it does not take. */
  readonly cures?: Readonly<Record<string, string>>;
  /** How it is called, for the cure of what belongs to the policy. */
  readonly order: string;
}

/** Reports every option that is unknown, or not what it has to be. */
export function checkOptions(options: unknown, known: KnownOptions, report: Report): void {
  const { keys, others = {} } = known;
  const names: readonly string[] = [...keys, ...Object.keys(others)];
  const onUnknown = (key: string, value: unknown) => ({
    message: isOfPolicy(key) ? 'belongs to the policy' : 'is not a known option',
    cure: cureFor(key, value, { ...known, names }),
  });
  const fields = readFields(options, '', { keys: names, report, onUnknown });
  if (fields === undefined) return;
  for (const key of keys) fields.optional(key, OPTION_RULES[key]);
  for (const [key, rule] of Object.entries(others)) fields.optional(key, rule);
}

function cureFor(
  key: string,
  value: unknown,
  { names, order, cures = {} }: KnownOptions & { readonly names: readonly string[] },
): string {
  const inPolicy = `in the policy: ${order}`;
  if (isOfPolicy(key)) return `Write it ${inPolicy}.`;
  const own = ownCure(cures, key) ?? ownCure(HABITS, key);
  const cure = own ?? policyCure(key, value);
  if (cure === undefined) return `Known options are ${names.join(', ')}.`;
  return own ?? `${cure.slice(0, -1)}, ${inPolicy}.`;
}

/** What belongs there is often given as an option. */
function isOfPolicy(key: string): boolean {
  return POLICY_KEYS.some((own) => own === key);
}

/** What the policy would say to write instead, of what only it is asked for. */
function policyCure(key: string, value: unknown): string | undefined {
  let cure: string | undefined;
  const report: Report = (problem) => {
    cure = problem.cure;
  };
  readFields({ [key]: value }, '', { keys: POLICY_KEYS, report });
  return cure?.startsWith('Use ') ? cure : undefined;
}

function ownCure(cures: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(cures, key) ? cures[key] : undefined;
}
