import { describe } from 'vitest';
import { brokerCommands, exchangeCommands } from '../support/broker-commands.ts';
import { itAnswersTheSame } from '../support/differential.ts';
import { openPGlite } from '../support/pglite.ts';
import { createPairs } from './clocked-schema.ts';

describe('the Postgres broker in PGlite beside the memory broker', () => {
  itAnswersTheSame({
    commands: [...brokerCommands(), ...exchangeCommands()],
    // A server runs the same statements, in more sequences.
    share: 1 / 10,
    leastPerSeed: 30,
    open: async () => {
      const pglite = await openPGlite();
      const pairs = await createPairs(pglite);
      return { open: pairs.open, close: () => pairs.close().finally(() => pglite.close()) };
    },
  });
});
