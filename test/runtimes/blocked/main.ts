/**
 * Plays every way in the file that it is given, a few at a time, and prints a line for each. It ends non-zero when one fails. Its
 * folder is the file's.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ChaosServer } from '../../chaos/engine.ts';
import { engineOf } from '../../chaos/engines.ts';
import { findPostgresFolder, POSTGRES_CURE } from '../../support/servers/postgres.ts';
import { findRedisBinary, REDIS_CURE } from '../../support/servers/redis.ts';
import type { Way } from './play.ts';
import { play } from './play.ts';

/** Ways at a time: most of the time a blocked event loop only waits. */
const AT_A_TIME = 3;

const SERVERS = {
  redis: { isThere: () => findRedisBinary() !== undefined, cure: REDIS_CURE },
  postgres: { isThere: () => findPostgresFolder() !== undefined, cure: POSTGRES_CURE },
};

const [, , file = ''] = process.argv;
const ways: Way[] = JSON.parse(readFileSync(file, 'utf8'));
const servers = new Map<string, ChaosServer>();
for (const [engine, { isThere, cure }] of Object.entries(SERVERS)) {
  if (isThere()) servers.set(engine, await engineOf(engine).start());
  else console.log(`SKIP ${engine}: ${cure}`);
}
const waiting = ways.filter(({ engine }) => servers.has(engine));
await Promise.all(Array.from({ length: AT_A_TIME }, playOneAfterAnother));
for (const { stop } of servers.values()) await stop();

async function playOneAfterAnother(): Promise<void> {
  for (let way = waiting.shift(); way !== undefined; way = waiting.shift()) {
    const { address = '' } = servers.get(way.engine) ?? {};
    const problems = await play(way, address, dirname(file)).catch((error: unknown) => [String(error)]);
    const isFine = problems.length === 0;
    if (!isFine) process.exitCode = 1;
    const what = `${way.name}, ${way.engine}: ${way.renewal}`;
    console.log([...problems, `${isFine ? 'ok' : 'FAIL'} ${what}`].join('\n'));
  }
}
