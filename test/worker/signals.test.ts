import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const fixture = fileURLToPath(new URL('fixtures/signalled.ts', import.meta.url));
const children: ChildProcess[] = [];

interface Program {
  readonly child: ChildProcess;
  /** Resolves when the program has written this. */
  readonly says: (text: string) => Promise<void>;
  /** What it ended with, and what it wrote last. */
  readonly end: () => Promise<{ code: number | null; signal: string | null; last: unknown }>;
}

function start(...args: readonly string[]): Program {
  const child = spawn(process.execPath, ['--import', 'tsx', fixture, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let written = '';
  child.stdout?.on('data', (chunk) => {
    written += String(chunk);
  });
  const exited = once(child, 'close');
  return {
    child,
    says: async (text) => {
      while (!written.includes(text)) await Promise.race([once(child.stdout ?? child, 'data'), exited]);
    },
    end: async () => {
      const [code, signal] = (await exited) as [number | null, string | null];
      return { code, signal, last: JSON.parse(written.trim().split('\n').at(-1) ?? 'null') };
    },
  };
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('SIGTERM', { timeout: 30_000 }, () => {
  it('makes the process give its runs back and exit by itself', async () => {
    const program = start('resubmit', '20s');
    await program.says('ready');

    const askedAt = performance.now();
    program.child.kill('SIGTERM');
    const { code, signal, last } = await program.end();

    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(last).toMatchObject({
      code: 0,
      events: ['released', 'released'],
      submitted: 2,
      waiting: 2,
      started: 0,
      unbalanced: 0,
    });
    expect(performance.now() - askedAt).toBeLessThan(3_000);
  });

  it('lets runs that may go on until the deadline, then gives them back', async () => {
    const program = start('continue', '300ms');
    await program.says('ready');

    const askedAt = performance.now();
    program.child.kill('SIGTERM');
    const { code, last } = await program.end();
    const tookMs = performance.now() - askedAt;

    expect(code).toBe(0);
    expect(last).toMatchObject({ events: ['released', 'released'], waiting: 2, unbalanced: 0 });
    expect(tookMs).toBeGreaterThanOrEqual(290);
    expect(tookMs).toBeLessThan(3_000);
  });

  it('ends runs that may go on at once when it comes a second time', async () => {
    const program = start('continue', '1h');
    await program.says('ready');

    program.child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(program.child.exitCode).toBeNull();
    const askedAt = performance.now();
    program.child.kill('SIGTERM');
    const { code, last } = await program.end();

    expect(code).toBe(0);
    expect(last).toMatchObject({ events: ['released', 'released'], waiting: 2, unbalanced: 0 });
    expect(performance.now() - askedAt).toBeLessThan(3_000);
  });

  it('stalls runs whose task says so', async () => {
    const program = start('stop', '20s');
    await program.says('ready');

    program.child.kill('SIGTERM');
    const { code, last } = await program.end();

    expect(code).toBe(0);
    expect(last).toMatchObject({ events: ['stalled', 'stalled'], started: 0, unbalanced: 0 });
  });
});

describe('stop', { timeout: 30_000 }, () => {
  it('leaves nothing that keeps the process alive', async () => {
    const program = start('resubmit', '1h', 'stop');

    const { code, signal, last } = await program.end();

    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(last).toMatchObject({ events: ['released', 'released'], waiting: 2, unbalanced: 0 });
  });
});
