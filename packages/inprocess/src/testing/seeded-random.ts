import { InvalidOptionsError } from '@retry/core';

/**
 * Creates a source of pseudo-random numbers in [0, 1) for the option `random`: the same seed gives the same numbers.
 *
 * @param seed - any integer; its lower 32 bits count
 * @throws {InvalidOptionsError} when the seed is not an integer
 * @see Mulberry32, by Tommy Ettinger (public domain)
 */
export function seededRandom(seed: number): () => number {
  if (!Number.isInteger(seed)) {
    const cure = 'Use any integer, and the same one for the same numbers.';
    throw new InvalidOptionsError(
      [{ path: 'seed', value: seed, message: 'must be an integer', cure }],
      'random',
    );
  }
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
