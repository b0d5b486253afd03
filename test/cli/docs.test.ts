import { describe, expect, it } from 'vitest';
import { readText } from '../support/repository.ts';
import { run } from './run-in-memory.ts';
import { splitWords } from './split-words.ts';

process.env['TZ'] = 'UTC';

/** The blocks of the page that show a command and its output. */
const shown = [...readText('docs/cli.md').matchAll(/^```text\n\$ retry (.*)\n([\s\S]*?)\n```$/gm)].map(
  ([, command = '', output = '']) => ({ command, output }),
);

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

/** How long something took differs from run to run. */
function sameTimes(text: string): string {
  return text.replace(/ after [\d.]+(ms|s)\./, ' after 1ms.');
}
