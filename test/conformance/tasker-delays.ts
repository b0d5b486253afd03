import { computeDelay, decide } from '@retry/core';
import { fromTasker, type TaskerOptions } from '@retry/core/dialects';
import { taskerDelay, taskerServerDelay } from '@retry/core/dialects/parity';
import { either, expected, integer, number, oneOf, optional, orNull, text } from './case-schema.ts';
import { pick, type Runner } from './runner.ts';

/** An arbitrary instant; the vectors count seconds from it. */
export const NOW: number = Date.UTC(2030, 0, 1, 12);

/** The possible sources of a delay. */
const SOURCES = ['server_requested', 'exponential'] as const;

/** The fields of every case about a step. */
export interface StepCase {
  readonly config: TaskerOptions;
  readonly attempts: number | null;
}

interface DelayCase extends StepCase {
  readonly u?: number;
  readonly sign?: '+' | '-';
  readonly delay_seconds: number;
}

export const delay: Runner = {
  schema: {
    attempts: orNull(integer),
    u: optional(number),
    sign: optional(oneOf('+', '-')),
    ...expected({ delay_seconds: number }),
  },
  answer: ({ config, attempts, u, sign }: DelayCase) => {
    const random = (): number => drawOf(u, sign);
    const calculator = taskerDelay(config, attempts, { random }) / 1_000;
    // A policy counts from the first failure, after the claim has incremented the counter.
    if ((attempts ?? 0) < 1) return [calculator];
    return [calculator, computeDelay(fromTasker(config).policy, attempts ?? 1, { random }) / 1_000];
  },
  expected: ({ attempts, delay_seconds }: DelayCase) =>
    (attempts ?? 0) < 1 ? [delay_seconds] : [delay_seconds, delay_seconds],
};

interface RetryAfterCase extends StepCase {
  readonly header: string;
  readonly value: string;
  readonly delay_seconds?: number;
  readonly min?: number;
  readonly max?: number;
}

export const retryAfter: Runner = {
  schema: {
    attempts: orNull(integer),
    header: text,
    value: text,
    ...expected({ delay_seconds: number, min: number, max: number, source: oneOf(...SOURCES) }),
  },
  answer: ({ config, attempts, header, value, min, max }: RetryAfterCase) => {
    const serverDelay = taskerServerDelay({ [header]: headerValue(value) }, NOW);
    const delay_seconds = decideDelay(config, attempts, { error: new Error('boom'), serverDelay });
    const isWithin = delay_seconds >= (min ?? 0) && delay_seconds <= (max ?? Infinity);
    return { delay_seconds, isWithin, source: sourceOf(serverDelay.type) };
  },
  expected: (given: RetryAfterCase) => ({ ...pick(given, ['delay_seconds', 'source']), isWithin: true }),
};

export const backoffHint: Runner = {
  schema: {
    attempts: orNull(integer),
    hint_delay_seconds: either(number, oneOf('any')),
    ...expected({ delay_seconds: number, source: oneOf(...SOURCES) }),
  },
  answer: ({ config, attempts, hint_delay_seconds }: StepCase & { readonly hint_delay_seconds: unknown }) => {
    const seconds = typeof hint_delay_seconds === 'number' ? hint_delay_seconds : 77;
    // The handler's delay is metadata of its result, without a header.
    const error = Object.assign(new Error('boom'), {
      metadata: { backoff_hint: { delay_seconds: seconds } },
    });
    const serverDelay = taskerServerDelay({}, NOW);
    const delay_seconds = decideDelay(config, attempts, { error, serverDelay });
    return { delay_seconds, source: sourceOf(serverDelay.type) };
  },
  expected: (given: StepCase) => pick(given, ['delay_seconds', 'source']),
};

/** Our jitter subtracts for the lower half of [0, 1) and adds for the upper half. */
function drawOf(u = 0, sign?: '+' | '-'): number {
  if (sign === '-') return u / 2;
  const draw = 0.5 + u / 2;
  // The upper half has one bit less of precision: rounded down, u × units may fall below an integer.
  return draw * 2 - 1 < u ? draw + 2 ** -53 : draw;
}

function decideDelay(
  config: TaskerOptions,
  attempts: number | null,
  failure: Parameters<typeof decide>[2],
): number {
  // Enough attempts, so that only the delay matters.
  const { policy } = fromTasker({ ...config, max_attempts: 1_000_000 });
  const context = { now: NOW, random: () => drawOf(undefined, '+') };
  const decision = decide(policy, { failures: attempts ?? 1 }, failure, context);
  return decision.type === 'retry' ? decision.delayMs / 1_000 : Number.NaN;
}

function sourceOf(type: ReturnType<typeof taskerServerDelay>['type']): string {
  return type === 'delay' ? 'server_requested' : 'exponential';
}

/** Dates depend on the clock, so the vectors describe them: `(HTTP date 90 s ahead, GMT)`. */
function headerValue(value: string): string {
  const described = /date (\d+) s (ahead|ago)/.exec(value);
  if (described === null) return value;
  const seconds = Number(described[1]) * (described[2] === 'ahead' ? 1 : -1);
  const date = new Date(NOW + seconds * 1_000).toUTCString();
  return /numeric zone/.test(value) ? date.replace('GMT', '+0000') : date;
}
