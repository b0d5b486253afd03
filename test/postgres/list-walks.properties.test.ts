import { it } from 'vitest';
import { assertWalks } from '../support/list-walks.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { createTestSchema, openPool } from './open-broker.ts';

describeOnPostgres('the Postgres broker', (server) => {
  it('lists each run that stays once, whatever moves between the pages', async () => {
    const pool = openPool(server().url, 1);
    const schema = await createTestSchema(pool);

    await assertWalks(async () => {
      const { broker, close } = await schema.open();
      return { ...broker, close };
    }).finally(async () => {
      await schema.drop();
      await pool.end();
    });
  });
});
