import type { SqlClient } from '@retry/postgres';
import fc from 'fast-check';
import { brokerCommands } from '../support/broker-commands.ts';
import { createModel } from '../support/broker-model.ts';
import { createPairs } from './clocked-schema.ts';

/** The number of command sequences; `DIFFERENTIAL_SEEDS=2000` runs more. */
export function seedsOr(usual: number): number {
  return Number(process.env['DIFFERENTIAL_SEEDS'] ?? usual);
}

/** A sequence has any length up to this one, on average half of it. */
const COMMANDS = { maxCommands: 220, size: 'max' } as const;

/** Runs the same random commands on a Postgres broker, a memory broker and the model. Returns how many there were. */
export async function compareBrokers(client: SqlClient, seeds: number): Promise<number> {
  const pairs = await createPairs(client);
  let steps = 0;
  const property = fc.asyncProperty(fc.commands(brokerCommands(), COMMANDS), async (commands) => {
    const real = await pairs.open();
    steps += [...commands].length;

    await fc.asyncModelRun(() => ({ model: createModel(), real }), commands);

    await real.broker.close();
  });
  await fc.assert(property, { numRuns: seeds }).finally(pairs.close);
  console.info(`differential: ${seeds} seeds, ${steps} steps`);
  return steps;
}
