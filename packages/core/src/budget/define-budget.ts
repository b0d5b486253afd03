import type { Duration } from '../duration.ts';
import { useOneOf } from '../fields/cures.ts';
import type { Fields, Report } from '../fields/fields.ts';
import { readFields, writtenIn } from '../fields/fields.ts';
import { readSafely } from '../fields/read-options.ts';
import { FINITE_AT_LEAST_0 } from '../fields/value-rules.ts';
import { read } from '../read.ts';
import type { Budget } from './budget.ts';

/** A budget as people write it. */
export type BudgetInput =
  | {
      /** Retries cost tokens, successes refund some. */
      readonly type: 'token-bucket';
      /** The most tokens, with which it begins: as many as a retry costs, or more, or 0 for no retries. @default 500 */
      readonly capacity?: number | undefined;
      /** Tokens per retry, by kind of failure. @default { default: 5, timeout: 10 } */
      readonly costs?: Readonly<Record<string, number>> | undefined;
      /** Tokens that a success gives back whose call has paid for no retry. @default 1 */
      readonly refund?: number | undefined;
      /** Tokens that are added each second. @default 0 */
      readonly refillPerSecond?: number | undefined;
    }
  | {
      /** A share of the requests in a sliding window. */
      readonly type: 'ratio';
      /** Retries per request, ≥ 0; 2 allows two for each, on average. @default 0.2 */
      readonly ratio?: number | undefined;
      /** Retries per second that are allowed whatever the traffic is. @default 10 */
      readonly minPerSecond?: number | undefined;
      /** The length of the window, at least 1 ms. @default '10s' */
      readonly window?: Duration | undefined;
    }
  | {
      /** Failures cost a token; there are no retries while at most half is left. */
      readonly type: 'throttle';
      /** The most tokens, with which it begins. @default 10 */
      readonly maxTokens?: number | undefined;
      /** What a success adds. @default 0.1 */
      readonly tokenRatio?: number | undefined;
    };

const KEYS: Readonly<Record<Budget['type'], readonly string[]>> = {
  'token-bucket': ['capacity', 'costs', 'refund', 'refillPerSecond'],
  ratio: ['ratio', 'minPerSecond', 'window'],
  throttle: ['maxTokens', 'tokenRatio'],
};

const TYPES = Object.keys(KEYS) as readonly Budget['type'][]; // the keys of a Record are its key type

/**
 * Checks a budget and fills in the defaults: those of the AWS SDK, Finagle and gRPC.
 *
 * @throws {InvalidOptionsError} when anything is wrong; it lists every problem with its path, value and cure
 */
export function defineBudget(input: BudgetInput): Budget {
  return readSafely(input, 'budget', (report) => {
    const type = TYPES.find((known) => known === read(input, 'type'));
    const keys = ['type', ...(type === undefined ? Object.values(KEYS).flat() : KEYS[type])];
    const fields = readFields(input, '', { keys, report });
    if (fields === undefined) return undefined;
    if (type !== undefined) return Object.freeze(budgetOf(type, fields, report));
    const isMissing = fields.value('type') === undefined;
    fields.fail('type', isMissing ? 'is missing' : 'is not a kind of budget', useOneOf(TYPES));
    return undefined;
  });
}

function budgetOf(type: Budget['type'], fields: Fields, report: Report): Budget {
  const atLeast0 = (key: string, fallback: number): number => fields.number(key, fallback, AN_AMOUNT);
  switch (type) {
    case 'token-bucket': {
      const [capacity, refund] = [atLeast0('capacity', 500), atLeast0('refund', 1)];
      const costs = readCosts(fields, report);
      const least = Math.min(...Object.values(costs));
      if (capacity > 0 && capacity < least)
        fields.fail(
          'capacity',
          `must be 0, or what the cheapest retry costs (${least}) or more`,
          'Use costs: { default: 1 } to count retries.',
        );
      return {
        type,
        capacity,
        costs,
        refund,
        refillPerSecond: atLeast0('refillPerSecond', 0),
      };
    }
    case 'ratio': {
      const [ratio, minPerSecond] = [atLeast0('ratio', 0.2), atLeast0('minPerSecond', 10)];
      const windowRule = {
        finite: true,
        accepts: (ms: number): boolean => ms >= 1,
        message: 'must be a finite duration ≥ 1 ms',
      };
      return { type, ratio, minPerSecond, windowMs: fields.duration('window', 10_000, windowRule) };
    }
    case 'throttle':
      return { type, maxTokens: atLeast0('maxTokens', 10), tokenRatio: atLeast0('tokenRatio', 0.1) };
  }
}

const AN_AMOUNT = {
  ...FINITE_AT_LEAST_0,
  cure: 'Leave it out for the default.',
};

function readCosts(fields: Fields, report: Report): { readonly default: number } {
  const given = fields.value('costs');
  if (given === undefined) return Object.freeze({ default: 5, timeout: 10 });
  const keys = [...new Set([...Object.keys(writtenIn(given, []) ?? {}), 'default'])];
  const costs = readFields(given, 'costs', { keys, report });
  const entries = keys.map((key) => [
    key,
    costs?.number(key, key === 'default' ? 5 : undefined, AN_AMOUNT) ?? 0,
  ]);
  return Object.freeze({ default: 5, ...Object.fromEntries(entries) });
}
