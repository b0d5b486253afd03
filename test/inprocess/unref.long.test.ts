import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { nodeArgs } from '../support/programs/node-args.ts';

describe('unref', () => {
  const program = (options: string): string => `
    import { retry, retryInfo } from '@retry/inprocess';
    const policy = { maxAttempts: 2, backoff: { type: 'constant', base: 3_000 }, jitter: 'none' };
    process.on('exit', () => console.log(settled));
    let settled = 'still waiting';
    retry(() => Promise.reject(1), policy, ${options}).catch(() => { settled = 'settled'; });
  `;
  const run = async (options: string): Promise<string> => {
    const args = [...nodeArgs(), '--input-type=module', '--eval', program(options)];
    return (await promisify(execFile)(process.execPath, args)).stdout.trim();
  };

  it('lets the process end while a call waits; without it the process stays', async () => {
    expect(await Promise.all([run('{ unref: true }'), run('{}')])).toEqual(['still waiting', 'settled']);
  });
});
