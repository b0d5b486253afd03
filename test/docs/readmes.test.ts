import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeArgs } from '../support/programs/node-args.ts';
import { listPackageNames, readText, root } from '../support/repository.ts';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

const names = listPackageNames();

/** What a program of a README needs: nothing, or a server whose URL it reads from its environment. */
const SERVERS = {
  'redis-queue': {
    variable: 'REDIS_URL',
    describe: describeOnPrivateRedis,
    start: () => startPrivateRedis(),
  },
  postgres: {
    variable: 'DATABASE_URL',
    describe: describeOnPrivatePostgres,
    start: () => startPrivatePostgres(),
  },
} as const;

describe('the table of packages in the README', () => {
  const [, table = ''] =
    /^## Packages\n([\s\S]*?)^\n/m.exec(readText('README.md').replace('## Packages\n\n', '## Packages\n')) ??
    [];
  const entries = names.flatMap((name) => {
    const { exports } = JSON.parse(readText(`packages/${name}/package.json`)) as { readonly exports: object };
    const paths = Object.keys(exports).filter((path) => !path.endsWith('.json'));
    return paths.map((path) => [`@retry/${name}`, path.slice(1)] as const);
  });

  it.each(entries)('has %s%s', (name, path) => {
    const rows = table.split('\n').filter((row) => row.startsWith(`| \`${name}`));

    expect(rows.some((row) => row.includes(`\`${name}${path}\``) || row.includes(`\`${path}\``))).toBe(true);
  });
});

describe.each(names)('the README of %s', (name) => {
  const text = readText(`packages/${name}/README.md`);

  it('installs everything that its program imports', () => {
    const installed = /^npm install (.+)$/m.exec(text)?.[1]?.split(' ') ?? [];
    const imported = [...programOf(text).matchAll(/ from '(@retry\/[\w-]+|[\w-]+)/g)].map(([, from]) => from);

    expect(installed).toContain(`@retry/${name}`);
    expect(imported).not.toEqual([]);
    expect(imported.filter((from) => !installed.includes(from ?? ''))).toEqual([]);
  });

  it('installs a driver where the package needs one', () => {
    const { peerDependencies = {} } = JSON.parse(readText(`packages/${name}/package.json`));
    const drivers = Object.keys(peerDependencies);
    const installed = /^npm install (.+)$/m.exec(text)?.[1]?.split(' ') ?? [];

    expect(drivers.length === 0 || drivers.some((driver) => installed.includes(driver))).toBe(true);
  });

  it('ends with three links', () => {
    expect([...text.matchAll(/^- .*\]\(/gm)]).toHaveLength(3);
  });
});

describe.each(names.filter((name) => !(name in SERVERS)))('the program of %s', (name) => {
  it('runs as it stands, and prints what its comments say', () => expectToRun(name));
});

for (const [name, { variable, describe: describeOnServer, start }] of Object.entries(SERVERS)) {
  describeOnServer(`the program of ${name}`, () => {
    let server: { readonly url: string; readonly stop: () => Promise<unknown> };
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server.stop());

    it('runs as it stands, and prints what its comments say', () =>
      expectToRun(name, { [variable]: server.url }));
  });
}

/** The first program in the text, in JavaScript: what a newcomer copies into a file and runs. */
function programOf(text: string): string {
  return /^```js\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? '';
}

async function expectToRun(name: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const program = programOf(readText(`packages/${name}/README.md`));
  const promised = [...program.matchAll(/\/\/ => (.*)$/gm)].map(([, line]) => line);
  const args = [...nodeArgs(), '--input-type=module', '--eval', program];

  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
  });

  expect(promised).not.toEqual([]);
  expect(stdout.split('\n').slice(0, -1)).toEqual(promised);
  expect(stderr).toBe('');
}
