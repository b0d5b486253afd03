import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker } from '@retry/postgres';
import type { ClockedSchema } from '../postgres/clocked-schema.ts';
import { clockBroker } from '../support/clocked-broker.ts';
import type { Stage } from '../support/stage.ts';

/** A stage on the schema of the previous stage. */
export async function openPostgresStage(client: SqlClient, schema: ClockedSchema): Promise<Stage> {
  await schema.clear();
  const broker = createPostgresBroker({ client, schema: schema.name, listen: false });
  return clockBroker(broker, schema.setTime);
}
