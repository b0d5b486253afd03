import type { Policy, Preview } from '@retry/core';
import { computeDelay, MAX_INSTANT_AT, policyToJSON, preview } from '@retry/core';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import type { Input, Report } from '../report.ts';
import type { PreviewCommandOptions, PreviewedAttempt, PreviewReport } from './preview-report.ts';
import { previewText } from './preview-text.ts';
import { readPolicyFrom } from './read-system.ts';

/** Shows the attempts of a policy if each of them fails. */
export async function previewAction({
  args,
  options,
  environment,
}: Input<PreviewCommandOptions>): Promise<Report> {
  const policy = await readPolicyFrom(args[0] ?? '', options.from, environment);
  const found = preview(policy, { attemptMs: options.attempt, limit: Math.max(options.limit - 1, 0) });
  const attempts = listAttempts(policy, found, { ...options, at: options.at ?? environment.now() });
  const maxAttempts = Math.min(found.maxRetries + 1, allowedAttempts(settingsOf(policy)));
  const report = { policy, attempts, maxAttempts, preview: found, options };
  return { json: toJson(report), text: (screen) => previewText(report, screen) };
}

function listAttempts(
  policy: Policy,
  { initialDelayMs, retries }: Preview,
  { seed, at }: PreviewCommandOptions & { readonly at: number },
): readonly PreviewedAttempt[] {
  const initial = { minMs: initialDelayMs, meanMs: initialDelayMs, maxMs: initialDelayMs };
  const draw = seed === undefined ? undefined : drawer(policy, seed);
  return [{ retry: 0, delay: initial, startsAfter: initial }, ...retries].map(
    ({ retry, delay, startsAfter }) => ({
      attempt: retry + 1,
      delay,
      startsAfter,
      startsAt: instantOf(at + startsAfter.meanMs),
      ...(draw !== undefined && { drawnMs: retry === 0 ? initialDelayMs : draw(retry) }),
    }),
  );
}

function instantOf(at: number): number | null {
  return at <= MAX_INSTANT_AT ? Math.round(at) : null;
}

/** Returns a function that draws the delays of one call, retry by retry. */
function drawer(policy: Policy, seed: number): (retry: number) => number {
  const random = seededRandom(seed);
  let previousDelayMs: number | undefined;
  return (retry) => {
    previousDelayMs = computeDelay(policy, retry, { random, previousDelayMs });
    return previousDelayMs;
  };
}

/** Mulberry32: numbers in [0, 1), the same on every machine. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function toJson({ policy, attempts, maxAttempts, preview: found }: PreviewReport): unknown {
  return {
    policy: policyToJSON(policy),
    maxAttempts,
    isBounded: found.isBounded,
    total: found.total,
    attempts: attempts.map(({ startsAt, ...attempt }) => ({
      ...attempt,
      startsAt: startsAt === null ? null : new Date(startsAt).toISOString(),
    })),
  };
}
