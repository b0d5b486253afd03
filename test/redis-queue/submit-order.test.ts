import type { Submission } from '@retry/core/broker';
import { beforeEach, describe, expect, it } from 'vitest';
import { useRedis } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';

const LONG = 'x'.repeat(5_000);

/** What decides by which script, and by which commands, a run is submitted. */
const KINDS: Readonly<Record<string, (id: string) => Submission>> = {
  plain: (id) => ({ id, lane: 'l', payload: '1' }),
  long: (id) => ({ id, lane: 'l', payload: LONG }),
  fair: (id) => ({ id, lane: 'l', payload: '1', fairnessKey: id }),
  unique: (id) => ({
    ...{ id: `{${id}}`, lane: 'l', payload: '1' },
    unique: { key: id, until: 'started', onConflict: 'keep' },
  }),
};
const PAIRS = Object.keys(KINDS).flatMap((first) => Object.keys(KINDS).map((second) => [first, second]));

describeOnRedis('runs that are submitted without a wait between them', (server) => {
  const redis = useRedis(server);
  const forgetScripts = () => redis.client.scriptFlush();
  const submit = (kind: string, id: string) => redis.broker.submit([KINDS[kind]?.(id) as Submission]);

  describe.each(PAIRS)('a %s and a %s one,', (first, second) => {
    const submitBoth = async (): Promise<readonly string[]> => {
      await Promise.all([submit(first, 'one'), submit(second, 'other')]);
      const ids = await redis.client.lRange(redis.key('lane:l'), 0, -1);
      return ids.map((id) => id.replaceAll(/[{}]/g, ''));
    };
    beforeEach(forgetScripts);

    it('are in their order where they are the first of a server', async () => {
      expect(await submitBoth()).toEqual(['one', 'other']);
    });

    it('are in their order where the server has the script of the second one only', async () => {
      await redis.broker.submit([{ ...(KINDS[second]?.('before') as Submission), lane: 'other' }]);

      expect(await submitBoth()).toEqual(['one', 'other']);
    });

    it('are in their order where the server has forgotten the scripts meanwhile', async () => {
      for (const kind of [first, second])
        await redis.broker.submit([{ ...(KINDS[kind]?.(`before ${kind}`) as Submission), lane: 'other' }]);
      await forgetScripts();

      expect(await submitBoth()).toEqual(['one', 'other']);
    });
  });
});
