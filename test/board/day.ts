import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect } from 'vitest';
import type { Route, Routes } from '../../packages/board/src/api.ts';
import { nodeArgs } from '../support/programs/node-args.ts';
import { root } from '../support/repository.ts';

/** An `npm start -- --board` that runs. */
export interface Demo {
  /** Resolves with the first line that matches, or rejects when the demo has ended. */
  readonly line: (pattern: RegExp) => Promise<string>;
  /** Sends a signal to the demo alone, not to its children. @returns how it ended */
  readonly end: (signal: NodeJS.Signals) => Promise<{ readonly code: number | null; readonly err: string }>;
  /** Whether any process that it started still runs. */
  readonly leftSomething: () => boolean;
}

const groups: number[] = [];
afterEach(() => {
  for (const group of groups.splice(0)) if (isAlive(group)) process.kill(-group, 'SIGKILL');
});

/** Whether a process of the group still runs; one that has ended and that nobody has asked about does not. */
function isAlive(group: number): boolean {
  if (process.platform === 'linux')
    return readStats().some((stat) => stat.group === group && stat.state !== 'Z');
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

function readStats(): readonly { readonly group: number; readonly state: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [state = '', , group] = readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        return [{ group: Number(group), state }];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}

export function startDemo(args: readonly string[], env: Readonly<Record<string, string>> = {}): Demo {
  const command = [...nodeArgs(), join(root, 'docs/demo/main.ts'), '--board', ...args];
  const demo = spawn(process.execPath, command, {
    // A process group of its own: what it leaves running is found by it.
    ...{ cwd: root, detached: true },
    env: { ...process.env, REDIS_URL: '', NO_COLOR: '1', ...env },
  });
  const group = demo.pid ?? 0;
  groups.push(group);
  const lines = readLines(demo);
  let err = '';
  demo.stderr.on('data', (text) => {
    err += text;
  });
  const ended = new Promise<number | null>((resolve) => demo.once('close', resolve));
  return {
    line: (pattern) => Promise.race([lines(pattern), ended.then(() => Promise.reject(new Error(err)))]),
    end: async (signal) => {
      demo.kill(signal);
      return { code: await ended, err };
    },
    leftSomething: () => isAlive(group),
  };
}

function readLines({ stdout }: ChildProcess): (pattern: RegExp) => Promise<string> {
  if (stdout === null) throw new Error('the output of a demo is piped');
  const seen: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: stdout }).on('line', (line) => {
    seen.push(line);
    for (const look of waiting) look();
  });
  return (pattern) =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = seen.find((line) => pattern.test(line));
        if (found !== undefined) resolve(found);
      };
      waiting.add(look);
      look();
    });
}

export async function boardOf(demo: Demo) {
  const [url = ''] = /http:\S+/.exec(await demo.line(/ is at http:/)) ?? [];
  const { searchParams } = new URL(url);
  const init = { headers: { authorization: `Bearer ${searchParams.get('token')}` } };
  return {
    page: async () => (await fetch(new URL('/', url), init)).text(),
    ask: async <Name extends Route>(route: Name): Promise<Routes[Name]['answer']> => {
      const answer = await fetch(new URL(`/api/${route.slice('GET '.length)}`, url), init);
      expect(answer.status).toBe(200);
      return JSON.parse(await answer.text());
    },
  };
}

/** Asks the board for all that a believable day has. */
export async function expectDay({ page, ask }: Awaited<ReturnType<typeof boardOf>>): Promise<void> {
  expect(await page()).toContain('<div id="board">');

  const { tasks } = await ask('GET rights');
  expect(tasks.map(({ task }) => task)).toContain('notify-partner');

  const { groups: found, deadLetters } = await ask('GET groups');
  expect(found.map(({ title }) => title.replace(/:.*/, '')).sort()).toEqual([
    ...['HttpError 503', 'TimeoutError ETIMEDOUT', 'ValidationError'],
  ]);
  expect(deadLetters).toBeGreaterThan(150);
  const hours = found.map(({ firstSeenAt, lastSeenAt }) => (lastSeenAt - firstSeenAt) / 3_600_000);
  expect(Math.max(...hours)).toBeGreaterThan(12);

  const { holds, audit } = await ask('GET overview');
  expect(holds.map(({ lane, by }) => `${lane} ${by}`).sort()).toEqual([
    'send-newsletter@1 ada',
    'send-statement@1 grace',
  ]);
  expect(audit.unbalanced).toBe(0);

  const { near, far, attempts } = await ask('GET retries');
  expect(near.counts.filter((count) => count > 0).length).toBeGreaterThan(20);
  expect(far.counts.slice(6).filter((count) => count > 0).length).toBeGreaterThan(2);
  const storm = attempts.find(({ task }) => task === 'notify-partner')?.counts ?? [];
  expect(storm.filter(({ attempt }) => attempt > 1).length).toBeGreaterThan(3);

  const { operations } = await ask('GET operations');
  expect(operations.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
    'redrive running',
    'discard done',
  ]);
  const [redrive] = operations;
  expect(redrive?.done).toBeGreaterThan(0);
  expect(redrive?.done).toBeLessThan(redrive?.planned ?? 0);
}

/** Asks for what workers report after some seconds. */
export async function expectStorm({ ask }: Awaited<ReturnType<typeof boardOf>>): Promise<void> {
  await expect
    .poll(async () => (await ask('GET storm')).all?.retryShare, { timeout: 60_000, interval: 1_000 })
    .toBeGreaterThan(0.1);
  const { workers } = await ask('GET workers');
  expect(workers.map(({ worker }) => worker).sort()).toEqual(['shop-1', 'shop-2', 'shop-3']);
}
