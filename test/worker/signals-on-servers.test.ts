import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { startProgram } from '../support/programs/start-program.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { removeKeys } from '../support/servers/remove-keys.ts';

const fixture = fileURLToPath(new URL('fixtures/plain-program.ts', import.meta.url));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Sends the program one signal while its handler runs, and returns its output and how it ended. */
async function endBy(signal: NodeJS.Signals, ...args: readonly string[]) {
  const child = startProgram([fixture, ...args]);
  children.push(child);
  let written = '';
  child.stdout.on('data', (chunk) => {
    written += String(chunk);
  });
  const exited = once(child, 'close');
  while (!written.includes('ready')) await Promise.race([once(child.stdout, 'data'), exited]);
  child.kill(signal);
  const [, endedBy] = await exited;
  return { endedBy, written };
}

describeOnRedis('a plain program on Redis', (server) => {
  it.each(['SIGTERM', 'SIGINT'] as const)('finishes its handler and ends by one %s', async (signal) => {
    const prefix = `test-${randomUUID()}`;

    const ended = await endBy(signal, 'redis', server().url, prefix);

    await removeKeys(server().url, prefix);
    expect(ended).toEqual({ endedBy: signal, written: 'ready\ncompleted\n' });
  });
});

describeOnPostgres('a plain program on Postgres', (server) => {
  it.each(['SIGTERM', 'SIGINT'] as const)('finishes its handler and ends by one %s', async (signal) => {
    const pool = openPool(server().url, 1);
    const schema = await createTestSchema(pool);

    const ended = await endBy(signal, 'postgres', server().url, schema.name);

    await schema.drop();
    await pool.end();
    expect(ended).toEqual({ endedBy: signal, written: 'ready\ncompleted\n' });
  });
});
