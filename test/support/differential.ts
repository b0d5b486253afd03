import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Real } from './broker-commands.ts';
import type { Model } from './broker-model.ts';
import { createModel } from './broker-model.ts';
import { propertyRuns } from './property-runs.ts';
import { isNight } from './some-tests.ts';

/** Pairs of a memory broker and another broker that use one fake clock. */
export interface PairFactory {
  /** Returns a pair without runs; it may end the one before. */
  readonly open: () => Promise<Real>;
  readonly close: () => Promise<void>;
}

export interface Comparison {
  readonly commands: fc.Arbitrary<fc.AsyncCommand<Model, Real>>[];
  /** Sequences of commands that are tried, as a share of the usual number of runs. */
  readonly share: number;
  /** Commands that have run at least, on average of the sequences: of many about 110, of few fewer. */
  readonly leastPerSeed: number;
  readonly open: () => Promise<PairFactory>;
}

/** Any length up to this one is drawn: on average half of it. */
const COMMANDS = { maxCommands: 220, size: 'max' } as const;

/** A sequence takes less than a second, and a few on a machine with much else to do: one that takes so long hangs. */
const HANGS_AFTER_MS = 60_000;

/** Of all sequences, on average: on Redis they need 0.3 s, and in PGlite 17 s beside fifty busy processes on two cores. */
const LIMIT_PER_SEED_MS = 30_000;

/** A test that runs the same random commands on two brokers and the model, and compares after each of them. */
export function itAnswersTheSame({ commands, share, leastPerSeed, open }: Comparison): void {
  const seeds = propertyRuns(share);
  const limitMs = seeds * LIMIT_PER_SEED_MS;

  it('answers the same at every step, and agrees with a slow obvious model', {
    timeout: limitMs + HANGS_AFTER_MS,
  }, async () => {
    const pairs = await open();
    let steps = 0;
    const property = fc.asyncProperty(fc.commands(commands, COMMANDS), async (sequence) => {
      const real = await pairs.open();
      steps += [...sequence].length;

      await fc.asyncModelRun(() => ({ model: createModel(), real }), sequence);

      await real.broker.close();
    });

    // Before the test's own limit, which would end it without the seed and what failed.
    const limits = {
      timeout: HANGS_AFTER_MS,
      interruptAfterTimeLimit: limitMs,
      markInterruptAsFailure: true,
    };
    // The same ones each day; others at night.
    const sample = isNight() ? {} : { seed: 1 };
    await fc.assert(property, { numRuns: seeds, ...sample, ...limits }).finally(pairs.close);

    expect(steps).toBeGreaterThanOrEqual(seeds * leastPerSeed);
  });
}
