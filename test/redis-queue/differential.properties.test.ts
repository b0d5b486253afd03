import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createModel } from '../support/broker-model.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { plainCommands } from './redis-commands.ts';
import { createPairs } from './scripted-redis.ts';

/** Sequences of commands that are tried; `DIFFERENTIAL_SEEDS=5000` tries more. */
const SEEDS = Number(process.env['DIFFERENTIAL_SEEDS'] ?? 100);

/** Any length up to this one is drawn: on average half of it. */
const COMMANDS = { maxCommands: 220, size: 'max' } as const;

describeOnRedis('the Redis broker beside the memory broker', (server) => {
  it('answers the same at every step, and agrees with a slow obvious model', {
    timeout: SEEDS * 2_000,
  }, async () => {
    const pairs = await createPairs(server().url);
    let steps = 0;
    const property = fc.asyncProperty(fc.commands(plainCommands(), COMMANDS), async (commands) => {
      const real = await pairs.open();
      steps += [...commands].length;

      await fc.asyncModelRun(() => ({ model: createModel(), real }), commands);

      await real.broker.close();
    });

    await fc.assert(property, { numRuns: SEEDS }).finally(pairs.close);

    console.info(`differential: ${SEEDS} seeds, ${steps} steps`);
    expect(steps).toBeGreaterThanOrEqual(SEEDS * 90);
  });
});
