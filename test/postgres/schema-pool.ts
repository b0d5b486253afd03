import type { SqlClient } from '@retry/postgres';
import type { BrokerHarness } from '../support/broker-scene.ts';
import type { TestSchema } from './open-broker.ts';
import { createTestSchema } from './open-broker.ts';

/** Schemas that cases take in turn, so that several run at a time. */
export interface SchemaPool {
  /** A broker in a schema that no other case uses until it is closed. */
  readonly open: TestSchema['open'];
  readonly drop: () => Promise<void>;
}

/** How many cases a test runner starts at a time (vitest's `maxConcurrency`). */
const SIZE = 5;

/** Creates schemas for tests. */
export async function createSchemaPool(client: SqlClient): Promise<SchemaPool> {
  const schemas: TestSchema[] = [];
  for (let index = 0; index < SIZE; index += 1) schemas.push(await createTestSchema(client));
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
    },
  };
}
