import type { BrokerHarness } from '../support/broker-scene.ts';
import type { TestSchema } from './open-broker.ts';
import { createTestSchema, openPool } from './open-broker.ts';

/** Schemas that cases take in turn, so that several run at a time. */
export interface SchemaPool {
  /** A broker in a schema that no other case uses until it is closed. */
  readonly open: TestSchema['open'];
  readonly drop: () => Promise<void>;
}

/** How many cases a test runner starts at a time (vitest's `maxConcurrency`). */
const SIZE = 5;

/**
 * Creates schemas for tests. Each has connections of its own: a server process compiles the functions of each schema that it meets, which
 * takes longer than most cases.
 */
export async function createSchemaPool(url: string): Promise<SchemaPool> {
  const pools = Array.from({ length: SIZE }, () => openPool(url, 4));
  const schemas: readonly TestSchema[] = await Promise.all(pools.map(createTestSchema));
  const free = [...schemas];
  return {
    open: async (options) => {
      const schema = free.pop();
      if (schema === undefined) throw new Error(`more than ${SIZE} cases run at a time`);
      const harness: BrokerHarness = await schema.open(options);
      return {
        ...harness,
        connect: async () => (await schema.open(options)).broker,
        close: async () => {
          await harness.close();
          free.push(schema);
        },
      };
    },
    drop: async () => {
      for (const schema of schemas) await schema.drop();
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}
