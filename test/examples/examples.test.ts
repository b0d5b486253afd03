import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { nodeArgs } from '../support/programs/node-args.ts';

const folder = fileURLToPath(new URL('../../docs/examples/', import.meta.url));
const names = readdirSync(folder).filter((name) => name.endsWith('.ts'));

describe('docs/examples', () => {
  it('has examples', () => {
    expect(names).not.toEqual([]);
  });

  it.concurrent.each(names)('%s prints what its comments say', async (name) => {
    const promised = promisedLines(readFileSync(folder + name, 'utf8'));

    const { stdout, stderr } = await run(folder + name);

    expect(promised).not.toEqual([]);
    expect(stdout.split('\n').slice(0, -1)).toEqual(promised);
    expect(stderr).toBe('');
  });

  it.each(names)('%s is shorter than 30 lines', (name) => {
    expect(readFileSync(folder + name, 'utf8').split('\n').length).toBeLessThanOrEqual(30);
  });
});

/** What the source's `// => …` comments say it prints, in order. */
function promisedLines(source: string): readonly string[] {
  return [...source.matchAll(/\/\/ => (.*)$/gm)].map(([, line = '']) => line);
}

/** Runs an example as a user would; rejects when it fails. */
function run(file: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return promisify(execFile)(process.execPath, [...nodeArgs(), file]);
}
