import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { shellOption, shellWord } from '@retry/core/broker/kit';
import { describe, expect, it } from 'vitest';

const WORDS = [
  'retry',
  '',
  'a b',
  "it's",
  '$(id)',
  '`id`',
  '"',
  '\\',
  'a\nb',
  '*',
  '~',
  '!x',
  '#',
  '-x',
  '--',
  'ä',
  ';|&<>',
];

/** The words that a shell reads. */
function read(line: string): readonly string[] {
  const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
  return stdout.split('\0').slice(0, -1);
}

describe('shellWord', () => {
  it('is one word of a shell, whatever is in it', () => {
    expect(read(WORDS.map(shellWord).join(' '))).toEqual(WORDS);
  });

  it('leaves plain words as they are', () => {
    expect(['retry', 'mail@2', 'a/b.c-d_e'].map(shellWord)).toEqual(['retry', 'mail@2', 'a/b.c-d_e']);
  });
});

describe('shellOption', () => {
  it('is read as this value of this option', () => {
    const args = WORDS.flatMap((word) => read(shellOption('schema', word)));

    const { values } = parseArgs({ args, options: { schema: { type: 'string', multiple: true } } });

    expect(values.schema).toEqual(WORDS);
  });
});
