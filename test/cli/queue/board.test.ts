import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue } from '@retry/worker';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { nodeArgs } from '../../support/programs/node-args.ts';
import { root } from '../../support/repository.ts';
import { itWhere } from '../../support/some-tests.ts';
import { schemaErrors } from '../output-schema.ts';
import { run } from '../run-in-memory.ts';
import { describeOnServers } from './describe-on-servers.ts';

const main = `${root}/packages/cli/src/main.ts`;

/** A `retry board` that runs. */
interface Served {
  /** As it is printed. */
  readonly url: string;
  /** Sends a request that has the token, if there is one. */
  readonly send: (path: string, init?: RequestInit) => Promise<Response>;
  readonly printed: () => { readonly out: string; readonly err: string };
  /** Sends SIGINT, as Ctrl-C does. @returns the exit status */
  readonly interrupt: () => Promise<number | null>;
}

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts `retry board` and waits until it says where it is. */
async function serve(
  args: readonly string[],
  { cwd = root, path = process.env['PATH'] } = {},
): Promise<Served> {
  const child = spawn(process.execPath, [...nodeArgs(), main, 'board', ...args], {
    cwd,
    env: { ...process.env, USER: 'ada', NO_COLOR: '1', PATH: path },
  });
  children.push(child);
  const printed = { out: '', err: '' };
  child.stderr.on('data', (text) => {
    printed.err += text;
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      printed.out += text;
      const [found] = /http:[^"\s]+(?=["\s])/.exec(printed.out) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(printed.err)));
  });
  const token = new URL(url).searchParams.get('token');
  return {
    url,
    send: (sent, init = {}) =>
      fetch(new URL(sent, url), {
        ...init,
        headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...init.headers },
      }),
    printed: () => printed,
    interrupt: () => {
      child.kill('SIGINT');
      return exited;
    },
  };
}

/** Holds a lane as the page of the board does. */
function hold({ send }: Served, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return send('/api/lanes/hold', {
    method: 'POST',
    body: JSON.stringify({ lane: 'report@1', reason: 'the printer is out of paper' }),
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
  });
}

/** Sends a request by another name of the host, as `fetch` cannot. */
async function sendAs(host: string, url: string, path = '/api/overview') {
  const { request } = await import('node:http');
  const { port } = new URL(url);
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, headers: { host } }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.once('error', reject).end();
  });
}

const inPGlite = 'serves the page and acts on the queue in the name of the user, until it is interrupted';

describeOnServers('retry board', { inPGlite }, (queue, it) => {
  it(inPGlite, async () => {
    await queue().use((broker) => broker.audit()); // PGlite is migrated when it is opened
    const board = await serve(queue().args);

    const page = await (await board.send('/')).text();
    const held = await hold(board);
    const { holds } = JSON.parse(await (await board.send('/api/overview')).text());
    const exitCode = await board.interrupt();

    expect(page).toContain('<div id="board">');
    expect(held.status).toBe(200);
    expect(holds).toMatchObject([{ lane: 'report@1', by: 'ada' }]);
    expect(exitCode).toBe(0);
    expect(board.printed().out).toContain(
      'Who has this address may change the queue: do not pass it on. Ctrl-C ends it.',
    );
    expect(board.printed().err).toBe('');
    expect(await queue().use((broker) => createQueue({ broker }).holds())).toMatchObject([
      { reason: 'the printer is out of paper' },
    ]);
  });
});

describe('retry board of a queue that a configuration makes', () => {
  const cache = join(root, 'node_modules', '.cache');
  let cwd = '';
  beforeAll(() => {
    // Below the repository, whose packages the project then has.
    mkdirSync(cache, { recursive: true });
    cwd = mkdtempSync(join(cache, 'retry-cli-board-'));
    const config = `import { createMemoryBroker } from '@retry/inprocess/broker';
      export default { broker: createMemoryBroker() };`;
    writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
    writeFileSync(join(cwd, 'retry.config.js'), config);
  });
  afterAll(() => rmSync(cwd, { recursive: true }));

  it('lets visitors only read with --read-only, and prints its address as JSON', async () => {
    const board = await serve(['--read-only', '--json'], { cwd });

    const rights = JSON.parse(await (await board.send('/api/rights')).text());
    const held = await hold(board);
    const stream = await board.send('/api/events?topic=overview');

    expect(schemaErrors('board', board.printed().out)).toEqual([]);
    expect(JSON.parse(board.printed().out)).toEqual({ url: board.url, readOnly: true });
    expect(rights.rights).toMatchObject({ read: true, hold: false, unmask: false });
    expect(held.status).toBe(403);
    // A page that listens does not keep the program.
    expect(stream.status).toBe(200);
    expect(await board.interrupt()).toBe(0);
    expect(board.printed().err).toBe('');
  });

  it('refuses whoever has not the printed token: a proxy as well as another user of the machine', async () => {
    const board = await serve([], { cwd });

    expect((await fetch(new URL('/api/rights', board.url))).status).toBe(401);
    expect((await fetch(board.url)).status).toBe(401); // no cookie is kept here
    expect((await board.send('/api/rights')).status).toBe(200);
    expect((await hold(board, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('says what it means to have no token, and still refuses names that only point at this machine', async () => {
    const board = await serve(['--no-token'], { cwd });
    const { port } = new URL(board.url);

    expect(board.printed().out).toContain(
      'every user of this machine may change the queue, and so may everyone',
    );
    expect((await sendAs(`localhost:${port}`, board.url)).status).toBe(200);
    for (const path of ['/', '/api/overview', '/api/events?topic=overview']) {
      const { status, text } = await sendAs(`evil.example:${port}`, board.url, path);
      expect(status).toBe(403);
      expect(JSON.parse(text).error).toEqual({
        code: 'FORBIDDEN',
        message:
          'retry board --no-token answers to names of this machine only, and this request is for evil.example. If a proxy passes that name on, start it with --allow-host evil.example.',
      });
    }
  });

  it.each([
    ['board.example.com', 200],
    ['Board.Example.com:443', 200],
    ['internal', 200],
    ['localhost', 200],
    ['127.0.0.1:80', 200],
    ['[::1]:80', 200],
    ['example.com', 403],
    ['board.example.com.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['a b', 403],
  ])('answers without a token to the names that --allow-host gives: %s', async (host, expected) => {
    const board = await serve(['--no-token', '--allow-host', 'board.example.com,INTERNAL'], { cwd });

    expect((await sendAs(host, board.url)).status).toBe(expected);
  });

  it.each([
    [['--allow-host', 'a.example'], '--allow-host belongs to --no-token'],
    [['--no-token', '--allow-host', 'https://a.example'], 'Write names of hosts without a port'],
    [['--no-token', '--allow-host', 'a.example:80'], 'Write names of hosts without a port'],
    [['--no-token', '--allow-host', ''], 'Write names of hosts without a port'],
  ])('refuses %j', async (args, message) => {
    const { err, exitCode } = await run(['board', ...args], { broker: createMemoryBroker() });

    expect({ err, exitCode }).toEqual({ err: expect.stringContaining(message), exitCode: 2 });
  });

  itWhere(process.platform === 'linux', 'Linux')(
    'opens a browser at an address that works once',
    async () => {
      const opened = join(cwd, 'opened');
      writeFileSync(join(cwd, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`, { mode: 0o755 });
      const read = () => readFileSync(opened, { encoding: 'utf8', flag: 'a+' });

      const board = await serve(['--open'], { cwd, path: `${cwd}:${process.env['PATH']}` });
      await expect.poll(read).toContain('http:');
      const first = await fetch(read(), { redirect: 'manual' });

      expect(new URL(first.headers.get('location') ?? '', board.url).href).toBe(board.url);
      expect((await fetch(read(), { redirect: 'manual' })).status).toBe(401);
    },
  );

  itWhere(process.platform === 'linux', 'Linux')(
    'goes on where nothing opens a browser, and says so',
    async () => {
      const board = await serve(['--open'], { cwd, path: '/none' });

      await expect.poll(() => board.printed().err).toContain(`no browser was opened. Open ${board.url}`);
      expect((await board.send('/')).status).toBe(200);
    },
  );
});

describe('retry board', () => {
  it('says what to do when its port is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;

    const { err, exitCode } = await run(['board', '--port', `${port}`], { broker: createMemoryBroker() });
    server.close();

    expect(exitCode).toBe(2);
    expect(err).toContain(`cannot listen on 127.0.0.1:${port} (EADDRINUSE). Give another --port`);
  });

  it('says which package is missing', async () => {
    const { loadPackage } = await import('../../../packages/cli/src/connect/load-package.ts');

    await expect(loadPackage('@retry/none', tmpdir())).rejects.toThrow('Run npm install @retry/none.');
  });

  it('prints each failure as a line of JSON with --json', async () => {
    const { createWarnings } = await import('../../../packages/cli/src/terminal/create-warnings.ts');
    const lines: string[] = [];
    const { warn } = createWarnings({ stderr: { write: (text) => lines.push(text) } }, { json: true });

    warn(new Error('redis://me:s3cret@db is lost'), 'reading groups');

    expect(lines).toEqual([expect.stringMatching(/^[^\n]+\n$/)]);
    expect(schemaErrors('error', lines.join(''))).toEqual([]);
    expect(lines[0]).not.toContain('s3cret');
  });

  it('prints a failure once, without its password, and none after the end', async () => {
    const { createWarnings } = await import('../../../packages/cli/src/terminal/create-warnings.ts');
    const lines: string[] = [];
    const warnings = createWarnings({ stderr: { write: (text) => lines.push(text) } });
    const lost = new Error('redis://me:s3cret@db is lost');

    warnings.warn(lost, 'reading groups');
    warnings.warn(lost, 'reading storm');
    warnings.end();
    warnings.warn(new Error('another'), 'reading groups');

    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^retry: reading groups failed\. Error: redis:.*db is lost\n$/);
    expect(lines[0]).not.toContain('s3cret');
  });
});
