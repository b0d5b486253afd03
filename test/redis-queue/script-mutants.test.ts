import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PairFactory } from '../support/differential.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { noticeMistake, playOn, scenesOf } from '../support/telling-scenes/mutant.ts';
import { plainCommands } from './redis-commands.ts';
import { MUTANTS } from './script-mutants.ts';
import { createPairs } from './scripted-redis.ts';

describeOnRedis('the differential test', (server) => {
  it.each(MUTANTS)('notices when $name', { timeout: 600_000 }, async (mutant) => {
    const { right, wrong } = mutant;
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

  describe('without a mistake', () => {
    let pairs: PairFactory | undefined;
    beforeAll(async () => {
      pairs = await createPairs(server().url);
    });
    afterAll(() => pairs?.close());

    it.each(scenesOf(MUTANTS))('agrees on the scene that notices when $name', async ({ scene }) => {
      await expect(pairs && playOn(pairs, scene)).resolves.toBeUndefined();
    });
  });
});
