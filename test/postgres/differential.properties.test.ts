import { brokerCommands, exchangeCommands } from '../support/broker-commands.ts';
import { itAnswersTheSame } from '../support/differential.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { createPairs } from './clocked-schema.ts';
import { openPool } from './open-broker.ts';

describeOnPostgres('the Postgres broker beside the memory broker', (server) => {
  itAnswersTheSame({
    commands: [...brokerCommands(), ...exchangeCommands()],
    share: 1 / 4,
    leastPerSeed: 50,
    open: async () => {
      const pool = openPool(server().url, 1);
      const pairs = await createPairs(pool);
      return { open: pairs.open, close: () => pairs.close().finally(() => pool.end()) };
    },
  });
});
