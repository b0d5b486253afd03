import { expect, it } from 'vitest';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import type { RetentionMutant } from '../support/telling-scenes/retention.ts';
import { playCase } from '../support/telling-scenes/retention.ts';
import { inOneLine, openClockedRedis } from './scripted-redis.ts';

const OLDEST_FIRST =
  'keepCompleted.bytes deletes the long payloads of the runs that ended first, and keeps the runs';

/** Mistakes in the scripts that forget runs, and delete long texts. */
const MUTANTS: readonly RetentionMutant[] = [
  {
    name: 'no run is forgotten by its age',
    right: 'endedAt(record) + KEEP_FOR <= now',
    wrong: 'false',
    case: 'keepCompleted.for forgets runs when others end',
  },
  {
    name: 'runs are forgotten before their time is over',
    right: 'endedAt(record) + KEEP_FOR <= now',
    wrong: 'true',
    case: 'keepCompleted.for and keepDead.for forget nothing before that is over',
  },
  {
    name: 'the texts of the latest runs are deleted first',
    right: "call('LPOP', LONG_FINISHED)",
    wrong: "call('RPOP', LONG_FINISHED)",
    case: OLDEST_FIRST,
  },
  {
    name: 'one text more than is allowed is kept',
    right: 'while over > 0 and',
    wrong: 'while over > 10000 and',
    case: OLDEST_FIRST,
  },
  {
    name: 'bytes of discarded runs stay counted',
    right: "if bytes > 0 and call('LREM', LONG_FINISHED, 1, id) == 1 then count('largeBytes', -bytes) end",
    wrong: "call('LREM', LONG_FINISHED, 1, id)",
    case: 'keepCompleted.bytes counts what is discarded no more',
  },
  {
    name: 'bytes of deleted texts stay counted',
    right: "    over = over - bytes\n    count('largeBytes', -bytes)",
    wrong: '    over = over - bytes',
    case: OLDEST_FIRST,
  },
];

describeOnRedis('a case about retention', (server) => {
  it.each(MUTANTS)('fails when $name, and else passes', async ({ case: name, ...mutant }) => {
    const [right, wrong] = [inOneLine(mutant.right), inOneLine(mutant.wrong)];
    let isApplied = false;
    const errors: unknown[] = [];
    for (const isMutated of [false, true]) {
      const redis = await openClockedRedis(server().url, (text) => {
        isApplied ||= text.includes(right);
        return isMutated ? text.replaceAll(right, () => wrong) : text;
      });
      const { openBroker, setTime } = redis.openQueue();
      const open = (options = {}) => openBroker(options as Parameters<typeof openBroker>[0]); // what is kept, beside its own
      errors.push(await playCase(name, { openBroker: open, setTime }).finally(redis.close));
    }

    expect({ isApplied, withoutMistake: errors[0] }).toEqual({ isApplied: true, withoutMistake: undefined });
    expect(errors[1]).toBeInstanceOf(Error);
    expect(String(errors[1])).not.toMatch(/script/i);
  });
});
