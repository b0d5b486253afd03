/** Independent sources of random numbers of one run of a world, each in [0, 1). */
export interface Draws {
  /** When calls begin: the same for every policy under the same seed, as far as the policy does not decide it. */
  readonly traffic: () => number;
  readonly network: () => number;
  readonly server: () => number;
  /** What the policy draws its delays from. */
  readonly policy: () => number;
}

/** Makes the sources of the run `run` (counted from 0) of a seed. @param seed - any integer */
export function drawsOf(seed: number, run: number): Draws {
  const stream = (index: number): (() => number) =>
    sourceOf([seed | 0, Math.floor(seed / 2 ** 32) | 0, run | 0, index]);
  return { traffic: stream(1), network: stream(2), server: stream(3), policy: stream(4) };
}

/** Enough rounds for seeds that differ in one bit to have nothing in common. */
const WARM_UP_ROUNDS = 16;

/**
 * Returns a source of numbers in [0, 1), 32 bits each. Integer arithmetic only, so that every engine draws the same.
 *
 * @see sfc32 of PractRand, by Chris Doty-Humphrey (public domain)
 */
function sourceOf(seeds: readonly [number, number, number, number]): () => number {
  let [a, b, c, counter] = seeds;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) next();
  return next;
}

/** Draws from the exponential distribution: the time between two events that do not know of each other. */
export function drawExponential(mean: number, random: () => number): number {
  return -mean * naturalLog(1 - random());
}

/** Draws from the normal distribution, by Marsaglia's polar method. */
export function drawNormal(mean: number, deviation: number, random: () => number): number {
  for (;;) {
    const x = 2 * random() - 1;
    const y = 2 * random() - 1;
    const square = x * x + y * y;
    if (square < 1 && square > 0) return mean + deviation * x * Math.sqrt((-2 * naturalLog(square)) / square);
  }
}

/** Terms of the series of the area tangent: the next one is below the precision of a double. */
const LAST_POWER = 21;

/**
 * Returns the natural logarithm, `0 < value ≤ 1`. Engines differ in the last digit of `Math.log`, and one digit makes
 * another world; the four basic operations and the square root are exact everywhere.
 */
export function naturalLog(value: number): number {
  let mantissa = value;
  let halvings = 0;
  while (mantissa < Math.SQRT1_2) {
    mantissa *= 2;
    halvings += 1;
  }
  const ratio = (mantissa - 1) / (mantissa + 1);
  let sum = 0;
  for (let power = LAST_POWER; power >= 1; power -= 2) sum = sum * ratio * ratio + 1 / power;
  return 2 * ratio * sum - halvings * Math.LN2;
}
