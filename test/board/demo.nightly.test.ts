import { expect, it } from 'vitest';
import { run } from '../cli/run-in-memory.ts';
import { splitWords } from '../cli/split-words.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { boardOf, expectDay, expectStorm, startDemo } from './day.ts';

describeOnPrivateRedis('npm start -- --board, with a redis-server', () => {
  it('shows a day in a Redis of its own, which the program retry reaches and which ends with it', async () => {
    const demo = startDemo([]);
    const board = await boardOf(demo);
    const [command = ''] = /dlq groups .*/.exec(await demo.line(/In another terminal/)) ?? [];

    await expectDay(board);
    await expectStorm(board);
    const listed = await run([...splitWords(command), '--no-color'], { now: Date.now });
    expect(listed.out).toMatch(/HttpError 503: .*TimeoutError ETIMEDOUT: .*ValidationError: /s);
    expect(await demo.end('SIGTERM')).toEqual({ code: 0, err: '' });
    expect(demo.leftSomething()).toBe(false);
  });
});
