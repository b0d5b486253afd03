import { expect, it } from 'vitest';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { noticeMistake } from '../support/telling-scenes/mutant.ts';
import { plainCommands } from './redis-commands.ts';
import { MUTANTS } from './script-mutants.ts';
import { createPairs, inOneLine } from './scripted-redis.ts';

describeOnRedis('the differential test', (server) => {
  it.each(MUTANTS)('notices when $name', { timeout: 600_000 }, async (mutant) => {
    const [right, wrong] = [inOneLine(mutant.right), inOneLine(mutant.wrong)];
    let isApplied = false;
    const pairs = await createPairs(server().url, (text) => {
      isApplied ||= text.includes(right);
      return text.replaceAll(right, () => wrong);
    });

    const error = await noticeMistake(mutant, pairs, plainCommands()).finally(pairs.close);

    expect({ isApplied, isNoticed: error !== undefined }).toEqual({ isApplied: true, isNoticed: true });
    // By its behaviour, not because the script is no Lua any more.
    expect(String(error)).not.toMatch(/script/i);
  });
});
