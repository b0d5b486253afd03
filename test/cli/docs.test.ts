import { describe, expect, it } from 'vitest';
import { createProgram } from '../../packages/cli/src/commands/create-program.ts';
import { completeEnvironment } from '../../packages/cli/src/environment.ts';
import { readText } from '../support/repository.ts';
import { run } from './run-in-memory.ts';
import { splitWords } from './split-words.ts';

process.env['TZ'] = 'UTC';

/** Returns the blocks of a page that show a command and its output. */
function blocksOf(page: string) {
  return [...readText(page).matchAll(/^```text\n\$ retry (.*)\n([\s\S]*?)\n```$/gm)].map(
    ([, command = '', output = '']) => ({ command, output }),
  );
}

const shown = blocksOf('docs/cli.md');

describe('docs/cli.md', () => {
  it('shows commands', () => {
    expect(shown.length).toBeGreaterThan(4);
  });

  it.each(shown)('shows what is printed: retry $command', async ({ command, output }) => {
    const [line = '', file] = command.split(' > ');

    const { all, err } = await run(splitWords(line), { env: { PATH: process.env['PATH'] } });
    const printed = file === undefined ? all : err;

    // What goes to a file is not on the screen.
    expect(sameTimes(printed.trimEnd())).toBe(sameTimes(output));
  });
});

/** The parser, for what each command takes. */
const program = createProgram(completeEnvironment({}), () => {});

function optionsOf(name: string): readonly string[] {
  const command = program.commands.find((each) => each.name() === name);
  return command?.options.flatMap(({ long }) => long ?? []) ?? [];
}

function optionsIn(text: string): readonly string[] {
  return text.match(/(?<![\w-])--[a-z][a-z-]+/g) ?? [];
}

/** What a section of a command says, without its examples. */
const sections = readText('docs/cli.md')
  .replace(/^```[\s\S]*?^```$/gm, '')
  .split(/^## /m)
  .flatMap((section) => {
    const [, name] = /^`retry ([a-z]+)`/.exec(section) ?? [];
    return name === undefined ? [] : [{ name, options: optionsIn(section) }];
  });

describe('a section of docs/cli.md', () => {
  it.each(sections)('names options of its own command only: retry $name', ({ name, options }) => {
    expect(options.filter((option) => !optionsOf(name).includes(option))).toEqual([]);
  });

  it('is there for each command that needs no server', () => {
    expect(sections.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['preview', 'lint', 'explain', 'diff', 'from', 'to', 'simulate', 'run']),
    );
  });
});

describe('README.md', () => {
  it('shows three commands as these pages do', () => {
    const blocks = blocksOf('README.md');
    const tested = [...shown, ...blocksOf('docs/shell-tour.md')];

    expect(blocks).toHaveLength(3);
    for (const block of blocks) expect(tested).toContainEqual(block);
  });
});

/** How long something took differs from run to run. */
function sameTimes(text: string): string {
  return text.replace(/ after [\d.]+(ms|s)\./, ' after 1ms.');
}
