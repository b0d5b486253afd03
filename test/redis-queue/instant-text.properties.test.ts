import fc from 'fast-check';
import { createClient } from 'redis';
import { expect, it } from 'vitest';
import { luaText } from '../support/lua-text.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';

/** Of instants up to the year 2286, which 13 digits hold. */
const seconds = fc.oneof(
  fc.integer({ min: 0, max: 9_999_999_999 }),
  fc.constantFrom(0, 1, 999_999_999, 1_000_000_000, 9_999_999_999),
);
const micros = fc.oneof(
  fc.integer({ min: 0, max: 999_999 }),
  fc.constantFrom(0, 1, 999, 1_000, 9_999, 99_999, 999_999),
);

describeOnRedis('the instant of a script', (server) => {
  it('is what the clock of the server says, in whole milliseconds and 13 digits', async () => {
    const client = await createClient({ url: server().url }).connect();
    const script = `local time = { ARGV[1], ARGV[2] } return ${luaText('instantText(Body.createdAt, time)')}`;

    await fc.assert(
      fc.asyncProperty(seconds, micros, async (second, micro) => {
        const text = await client.eval(script, { arguments: [`${second}`, `${micro}`] });

        expect(text).toBe(`${second * 1_000 + Math.floor(micro / 1_000)}`.padStart(13, '0'));
      }),
    );
    client.destroy();
  });
});
