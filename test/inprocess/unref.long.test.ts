import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { nodeArgs } from '../support/programs/node-args.ts';

/** Returns what a program of its own prints. */
async function printedBy(program: string): Promise<string> {
  const args = [...nodeArgs(), '--input-type=module', '--eval', program];
  return (await promisify(execFile)(process.execPath, args)).stdout.trim();
}

describe('unref', () => {
  const program = (options: string): string => `
    import { retry, retryInfo } from '@retry/inprocess';
    const policy = { maxAttempts: 2, backoff: { type: 'constant', base: 3_000 }, jitter: 'none' };
    process.on('exit', () => console.log(settled));
    let settled = 'still waiting';
    retry(() => Promise.reject(1), policy, ${options}).catch(() => { settled = 'settled'; });
  `;
  it('lets the process end while a call waits; without it the process stays', async () => {
    const printed = await Promise.all(
      ['{ unref: true }', '{}'].map((options) => printedBy(program(options))),
    );

    expect(printed).toEqual(['still waiting', 'settled']);
  });
});

describe('a shared budget', () => {
  it('lets the process end, and not while a call waits for its tokens', async () => {
    const printed = await printedBy(`
      import { createSharedBudget, retry } from '@retry/inprocess';
      import { createMemoryBroker } from '@retry/inprocess/broker';
      const budget = createSharedBudget({ broker: createMemoryBroker(), key: 'any', perSecond: 0.01, burst: 8 });
      const policy = { maxAttempts: 5, backoff: { type: 'none' } };
      const end = await retry(() => Promise.reject(new Error('down')), policy, { budget }).catch((error) => error);
      console.log(end.message);
    `);

    expect(printed).toBe('down');
  });
});
