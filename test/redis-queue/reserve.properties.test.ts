import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createClient } from 'redis';
import { expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { openRedisBroker } from '../support/redis-harness.ts';
import { playReservations, reservationPlays } from '../support/reservation-plays.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { removeKeys } from '../support/servers/remove-keys.ts';
import { openClockedRedis } from './scripted-redis.ts';

/** Mistakes in the script. */
const MUTANTS = [
  [
    'the edge of the window counts',
    'math.max(now, counts[2]) - windowMs + 1',
    'math.max(now, counts[2]) - windowMs',
  ],
  [
    'a bucket leaves the window with its first instant',
    'if counts[index] >= first then',
    'if counts[index] > first then',
  ],
  ['starts are granted while the clock is back', 'if now < counted[2] then', 'if false then'],
  ['a clock that is back for long blocks a limit', 'now < before[2] - windowMs', 'false'],
  [
    'starts of another window are forgotten',
    'if before[1] == windowMs then return before end',
    'if before[1] == windowMs then return before else return { windowMs, now } end',
  ],
  [
    'starts of another window count as of the beginning of their bucket',
    '(before[index] + 1) * oldMs - 1',
    'before[index] * oldMs',
  ],
  [
    'the later requests of a call know nothing of the earlier ones',
    'known[number], isChanged[number] = counts, true',
    'isChanged[number] = counts known[number] = known[number] or counts',
  ],
  ['starts do not count in the other windows', 'countStarts(other, granted)', 'countStarts(other, 0)'],
  ['a window that is new is made from the last used one', 'return enough or longest', 'return windows[1]'],
  [
    'one more can be granted a bucket earlier',
    '(counted[index] + 1) * bucketMs(windowMs)',
    'counted[index] * bucketMs(windowMs)',
  ],
  ['fewer are granted than are of use', 'if left < least then', 'if left < 1 then'],
  ['it is said when one can be granted to who needs more', 'while left < least and', 'while left < 1 and'],
  ['a correction adds nothing', 'elseif count > 0 then', 'elseif false then'],
  [
    'a correction takes away more than there are',
    'math.max(0, counts[index + 1] + count)',
    'counts[index + 1] + count',
  ],
  [
    'a correction takes nothing away',
    'counts[index + 1] = math.max(0,',
    'counts[index + 1] = math.max(counts[index + 1],',
  ],
  [
    'a correction changes one window alone',
    'in ipairs(windows) do local bucket',
    'in ipairs({ windows[1] }) do local bucket',
  ],
  [
    'a correction changes what has left the window',
    'bucket >= bucketOf(counts[2] - counts[1] + 1, counts[1])',
    'true',
  ],
  ['a correction of the future counts', 'if grantedAt <= counts[2] and', 'if'],
  ['a correction adds behind the others', 'and counts[index] < bucket do', 'do'],
  ['a correction is not written', 'isChanged[number] = true', 'isChanged[number] = isChanged[number]'],
  ['an answer says an earlier instant', 'answers[#answers + 1] = now', 'answers[#answers + 1] = now - 1'],
] as const;

describeOnRedis('reserve on Redis', (server) => {
  it('answers as the pure rule at every step, whatever the clock does', async () => {
    const redis = await openClockedRedis(server().url);

    await fc.assert(plays(redis), { numRuns: propertyRuns(1) }).finally(redis.close);
  });

  it.each(MUTANTS)('notices when %s', async (_, right, wrong) => {
    let isApplied = false;
    const redis = await openClockedRedis(server().url, (text) => {
      isApplied ||= text.includes(right);
      return text.replace(right, () => wrong);
    });

    const details = await fc
      .check(plays(redis), { seed: 1, numRuns: 300, endOnFailure: true })
      .finally(redis.close);

    expect({ isApplied, isNoticed: details.failed }).toEqual({ isApplied: true, isNoticed: true });
    expect(String(details.errorInstance)).toContain('answered differently');
  });

  it('keeps a limit for as long as it matters, and no more than a little longer', async () => {
    const prefix = `reserve-${randomUUID()}`;
    const client = createClient({ url: server().url });
    await client.connect();
    const broker = await openRedisBroker({ client, prefix });

    await broker.reserve([{ key: 'api', limit: 5, windowMs: 600_000, count: 1 }]);

    const keptMs = await client.pTTL(`{${prefix}:0}:starts:api`);
    expect(keptMs).toBeGreaterThan(1_200_000);
    expect(keptMs).toBeLessThan(1_300_000);
    await broker.close();
    await removeKeys(server().url, prefix);
    await client.close();
  });

  it('counts nothing for what another program has written under the key of a limit', async () => {
    const prefix = `reserve-${randomUUID()}`;
    const client = createClient({ url: server().url });
    await client.connect();
    const broker = await openRedisBroker({ client, prefix });
    for (const text of ['', 'no list', '\u0093\u0001\u0002\u00a1x'])
      await client.set(`{${prefix}:0}:starts:k${text.length}`, Buffer.from(text, 'latin1'));

    const answers = await broker.reserve(
      ['k0', 'k7', 'k5'].map((key) => ({ key, limit: 5, windowMs: 1_000, count: 5 })),
    );

    expect(answers.map(({ granted }) => granted)).toEqual([5, 5, 5]);
    await broker.close();
    await removeKeys(server().url, prefix);
    await client.close();
  });
});

function plays(redis: Awaited<ReturnType<typeof openClockedRedis>>) {
  return fc.asyncProperty(reservationPlays(), async (play) => {
    const { openBroker, setTime } = redis.openQueue();
    await setTime(0);
    const broker = await openBroker();
    await playReservations(play, { broker, setTime }).finally(() => broker.close());
  });
}
