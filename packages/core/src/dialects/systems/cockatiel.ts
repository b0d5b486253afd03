import { choice, factor, ms, retries } from '../option.ts';
import { defineSystem, exponential, type System, written } from '../system.ts';

/** What the decorrelated generator multiplies with: the mean of its first delay is `initialDelay`. */
const SCALE = 1 / 1.4;

/** Polly's decorrelated formula, which cockatiel uses: e^t × tanh(√(4t)), of the exponent e. */
function polly(exponent: number, attempt: number): number {
  const at = Math.max(attempt, 0);
  return exponent ** at * Math.tanh(Math.sqrt(4 * at));
}

/** cockatiel: `retry(…, { maxAttempts, backoff: new ExponentialBackoff({ … }) })`. */
export const cockatiel: System = /* @__PURE__ */ defineSystem({
  name: 'cockatiel',
  title: 'cockatiel',
  version: '4.0.0',
  fidelity: 'range',
  remarks: [
    'The decorrelated generator draws each delay from the one before; here each is drawn by itself, in the same range.',
    '`exponent` works with the decorrelated generator only.',
  ],
  options: {
    maxAttempts: retries(Infinity, 'executions after the first, despite its name'),
    generator: choice(
      ['decorrelatedJitterGenerator', 'fullJitterGenerator', 'halfJitterGenerator', 'noJitterGenerator'],
      'decorrelatedJitterGenerator',
      'how a delay is drawn',
    ),
    initialDelay: ms(128, 'the first delay'),
    maxDelay: ms(30_000, 'the longest delay'),
    exponent: factor(2, 'of the decorrelated generator'),
  },
  policy: ({ maxAttempts, generator, initialDelay, maxDelay, exponent }) => {
    if (generator === 'decorrelatedJitterGenerator') {
      const highest = (retry: number): number =>
        Math.min((polly(exponent, retry) - polly(exponent, retry - 2)) * initialDelay * SCALE, maxDelay);
      return { maxAttempts, backoff: written(highest), jitter: 'full', maxDelay };
    }
    const jitters = {
      fullJitterGenerator: 'full',
      halfJitterGenerator: 'equal',
      noJitterGenerator: 'none',
    } as const;
    return { maxAttempts, backoff: exponential(initialDelay), jitter: jitters[generator], maxDelay };
  },
});
