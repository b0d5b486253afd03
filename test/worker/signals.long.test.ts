import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { startProgram } from '../support/programs/start-program.ts';

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
  const child = startProgram([fixture, ...args]);
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

describe('SIGTERM', () => {
  it('makes the process give its runs back and exit by itself', async () => {
    const program = start('release', '1h');
    await program.says('ready');

    program.child.kill('SIGTERM');
    const { code, signal, last } = await program.end();

    expect({ code, signal }).toEqual({ code: null, signal: 'SIGTERM' });
    expect(last).toMatchObject({
      events: ['released', 'released', 'stopped by SIGTERM'],
      created: 2,
      submitted: 2,
      started: 0,
      unbalanced: 0,
    });
  });

  it('ends a process that has the package signal-exit, which waits for others', async () => {
    const program = start('release', '20s', 'signal-exit');
    await program.says('ready');

    program.child.kill('SIGTERM');
    const { code, signal, last } = await program.end();

    expect({ code, signal }).toEqual({ code: null, signal: 'SIGTERM' });
    expect(last).toMatchObject({ submitted: 2, started: 0 });
  });

  it('lets handlers that may finish run until the deadline, then gives them back', async () => {
    const program = start('finish', '300ms');
    await program.says('ready');

    const askedAt = performance.now();
    program.child.kill('SIGTERM');
    const { signal, last } = await program.end();
    const tookMs = performance.now() - askedAt;

    expect(signal).toBe('SIGTERM');
    expect(last).toMatchObject({
      events: ['released', 'released', 'stopped by SIGTERM'],
      submitted: 2,
      unbalanced: 0,
    });
    expect(tookMs).toBeGreaterThanOrEqual(290);
  });

  it('stops handlers that may finish immediately when it comes a second time', async () => {
    const program = start('finish', '1h');
    await program.says('ready');

    program.child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(program.child.exitCode).toBeNull();
    program.child.kill('SIGTERM');
    const { signal, last } = await program.end();

    expect(signal).toBe('SIGTERM');
    expect(last).toMatchObject({
      events: ['released', 'released', 'stopped by SIGTERM'],
      submitted: 2,
      unbalanced: 0,
    });
  });

  it('stalls runs whose task says so', async () => {
    const program = start('stall', '20s');
    await program.says('ready');

    program.child.kill('SIGTERM');
    const { signal, last } = await program.end();

    expect(signal).toBe('SIGTERM');
    expect(last).toMatchObject({
      events: ['stalled', 'stalled', 'stopped by SIGTERM'],
      started: 0,
      unbalanced: 0,
    });
  });
});

describe('a program whose worker a signal stops', () => {
  it.each(['owned', 'two'])(
    'ends, with the connection closed that its broker opened, after everything was settled (%s)',
    async (mode) => {
      const program = start('release', '20s', mode);
      await program.says('ready');

      program.child.kill('SIGTERM');
      const { signal, last } = await program.end();

      expect(signal).toBe('SIGTERM');
      expect((last as { events: string[] }).events).toEqual(
        expect.arrayContaining(['released', 'stopped by SIGTERM']),
      );
    },
  );

  it('closes a broker that owns its connection before it says that it has stopped', async () => {
    const program = start('release', '20s', 'owned');
    await program.says('ready');

    program.child.kill('SIGTERM');
    const { last } = await program.end();

    expect(last).toMatchObject({ events: ['released', 'released', 'closed', 'stopped by SIGTERM'] });
  });

  it('ends by the same signal though something else would keep it alive: no other listener handled the signal', async () => {
    const program = start('release', '20s', 'busy');
    await program.says('ready');

    program.child.kill('SIGINT');
    const { code, signal } = await program.end();

    expect({ code, signal }).toEqual({ code: null, signal: 'SIGINT' });
  });

  it('first sends what it sends when it has nothing left to do, as telemetry does', async () => {
    const program = start('release', '20s', 'flushing');
    await program.says('ready');

    program.child.kill('SIGTERM');

    expect(await program.end()).toEqual({ code: null, signal: 'SIGTERM', last: 'flushed' });
  });

  it('ends with the status of the signal where that does not end it, as in a container whose process 1 it is', async () => {
    const program = start('release', '20s', 'init');
    await program.says('ready');

    program.child.kill('SIGTERM');
    const { code, signal } = await program.end();

    expect({ code, signal }).toEqual({ code: 143, signal: null });
  });

  it('is left to its own listener of the signal when it has one', async () => {
    const program = start('release', '20s', 'handled');
    await program.says('ready');

    program.child.kill('SIGTERM');
    const { code, signal, last } = await program.end();

    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(last).toMatchObject({ events: expect.arrayContaining(['handled', 'stopped by SIGTERM']) });
  });
});

describe('stop', () => {
  it('leaves nothing that keeps the process alive', async () => {
    const program = start('release', '1h', 'stop');

    const { code, signal, last } = await program.end();

    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(last).toMatchObject({
      events: ['released', 'released', 'stopped by undefined'],
      submitted: 2,
      unbalanced: 0,
    });
  });
});
