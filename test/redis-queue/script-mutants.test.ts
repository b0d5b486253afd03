import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createModel } from '../support/broker-model.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { OPERATOR_MUTANTS } from './operator-mutants.ts';
import { plainCommands, redisCommands } from './redis-commands.ts';
import { MUTANTS } from './script-mutants.ts';
import { createPairs } from './scripted-redis.ts';

const COMMANDS = { maxCommands: 200, size: 'max' } as const;

describeOnRedis('the differential test', (server) => {
  it.each([...MUTANTS, ...OPERATOR_MUTANTS])(
    'notices when $name',
    { timeout: 600_000 },
    async ({ right, wrong, isOfPlainRuns }) => {
      let isApplied = false;
      const pairs = await createPairs(server().url, (text) => {
        isApplied ||= text.includes(right);
        return text.replace(right, () => wrong);
      });
      const property = fc.asyncProperty(
        fc.commands(isOfPlainRuns === true ? plainCommands() : redisCommands(), COMMANDS),
        async (commands) => {
          const real = await pairs.open();

          await fc.asyncModelRun(() => ({ model: createModel(), real }), commands);
        },
      );

      const details = await fc.check(property, { numRuns: 600, endOnFailure: true }).finally(pairs.close);

      expect({ isApplied, isNoticed: details.failed }).toEqual({ isApplied: true, isNoticed: true });
      // By its behaviour, not because the script is no Lua any more.
      expect(String(details.errorInstance)).not.toMatch(/script/i);
    },
  );
});
