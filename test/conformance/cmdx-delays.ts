import { computeDelay, delayBounds, type Policy } from '@retry/core';
import { type CmdxDeclaration, fromCmdx } from '@retry/core/dialects';
import type { CmdxVersion } from '@retry/core/dialects/parity';
import { boolean, expected, integer, number, optional, orNull } from './case-schema.ts';
import { readStrategyText } from './cmdx-text.ts';
import { pick, type Runner, randomOf } from './runner.ts';

interface DelayCase {
  readonly config: Omit<CmdxDeclaration, 'jitter'> & { readonly jitter?: string };
  readonly version: CmdxVersion;
  readonly attempt: number;
  readonly attempt_base: number;
  readonly u?: number;
  readonly prev_delay?: number;
  readonly delay?: number | null;
  readonly slept?: boolean;
}

/** The kinds `delay` and `custom`: the result of one wait, and whether it sleeps. */
export const delay: Runner = {
  schema: {
    attempt: integer,
    attempt_base: integer,
    u: optional(number),
    prev_delay: optional(number),
    ...expected({ delay: orNull(number), slept: boolean }),
  },
  answer: (given: DelayCase) => {
    const delayMs = computeDelay(policyOf(given), given.attempt - given.attempt_base + 1, {
      random: randomOf(given.u),
      previousDelayMs: given.prev_delay === undefined ? undefined : given.prev_delay * 1_000,
    });
    return { delay: delayMs / 1_000, slept: delayMs > 0 };
  },
  // A wait that does not sleep returns nil, 0 or a negative number in CMDx; here it is a delay of 0.
  expected: (given: DelayCase) => ({
    ...pick(given, ['delay', 'slept']),
    ...(given.slept === false && { delay: 0 }),
  }),
};

export const range: Runner = {
  schema: { attempt: integer, attempt_base: integer, ...expected({ min: number, max: number }) },
  answer: (given: DelayCase) => {
    const [minMs, maxMs] = delayBounds(policyOf(given), given.attempt - given.attempt_base + 1);
    return { min: minMs / 1_000, max: maxMs / 1_000 };
  },
  expected: (given: DelayCase) => pick(given, ['min', 'max']),
};

function policyOf({ config, version }: DelayCase): Policy {
  const { jitter, ...rest } = config;
  const { declaration, ...scope } =
    typeof jitter === 'string' ? readStrategyText(jitter) : { declaration: {} };
  return fromCmdx({ version, retry_on: { exceptions: [Error], ...rest, ...declaration }, ...scope }).policy;
}
