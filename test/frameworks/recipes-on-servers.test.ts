import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { nodeArgs } from '../support/programs/node-args.ts';
import { listTypeScript, readText } from '../support/repository.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { removeKeys } from '../support/servers/remove-keys.ts';
import { startApp, statusOf } from './start-app.ts';

const RECIPES = 'docs/recipes/frameworks';

/** The program of each framework, and the exit status of its process after SIGTERM: Nest and a worker raise the signal again. */
const APPS = [
  { framework: 'Express', program: `${RECIPES}/express.ts`, exit: 0 },
  { framework: 'Fastify', program: `${RECIPES}/fastify.ts`, exit: 0 },
  { framework: 'Hono', program: `${RECIPES}/hono.ts`, exit: 0 },
  { framework: 'Nest', program: `${RECIPES}/nest/main.ts`, exit: 'SIGTERM' },
  { framework: 'the modules of Next', program: 'test/frameworks/fixtures/next-server.ts', exit: 'SIGTERM' },
] as const;

const FILES = listTypeScript(RECIPES);

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../../${file}`, import.meta.url));
}

describe('docs/frameworks.md', () => {
  it.each(FILES)('shows %s, of at most 30 lines', (file) => {
    const text = readText(file);

    expect(readText('docs/frameworks.md')).toContain(`\`\`\`ts\n${text}\`\`\``);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  });
});

describeOnRedis('a worker in an application', (server) => {
  it.each(APPS)(
    'of $framework is ready, handles what is submitted, and finishes it after SIGTERM',
    async ({ program, exit }) => {
      const { url } = server();
      const prefix = `framework-${randomUUID()}`;
      const env = { REDIS_URL: url, QUEUE_PREFIX: prefix };
      // Decorators are compiled as its own settings say, as a reader does it.
      const tsx = {
        args: ['--import', 'tsx'],
        env: { TSX_TSCONFIG_PATH: pathOf(`${RECIPES}/nest/tsconfig.json`) },
      };
      const { args, env: settings } = program.includes('/nest/') ? tsx : { args: nodeArgs(), env: {} };
      const app = await startApp({ args: [...args, pathOf(program)], env: { ...env, ...settings } });
      const broker = createRedisBroker({ url, prefix });
      const queue = createQueue({ broker });
      try {
        const headers = { 'content-type': 'application/json' };
        // `__proto__` is a key that no payload may have, and that JSON can.
        const refused = await fetch(`${app.url}/mails`, {
          method: 'POST',
          headers,
          body: '{"__proto__":{}}',
        });
        expect(refused.status).toBe(400);
        const body = JSON.stringify({ to: 'ada@example.com' });
        const response = await fetch(`${app.url}/mails`, { method: 'POST', headers, body });
        const { id } = (await response.json()) as { readonly id: string };
        expect(response.ok).toBe(true);
        await app.printed('sending to ada@example.com');

        const ended = app.terminate();

        expect(await ended).toBe(exit);
        expect(app.output()).toContain('sent to ada@example.com');
        expect(await queue.get(id)).toMatchObject({ state: 'completed', attempt: 1 });
        expect(await statusOf(`${app.url}/ready`)).toBeUndefined();
      } finally {
        app.kill();
        await broker.close();
        await removeKeys(url, prefix);
      }
    },
  );
});
