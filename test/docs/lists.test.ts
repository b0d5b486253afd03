import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, type RunView } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../packages/cli/src/commands/create-program.ts';
import { completeEnvironment } from '../../packages/cli/src/environment.ts';
import { readText } from '../support/repository.ts';

/** Returns what the rows of the first table behind a heading have in their first columns as code. */
function tableAt(page: string, heading: string, columns = 1): string {
  const text = readText(page);
  const [, table = ''] = /\n((?:\|.*\n)+)/.exec(text.slice(text.indexOf(`${heading}\n`))) ?? [];
  return table
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, columns + 1)
        .join(' '),
    )
    .flatMap((cells) => cells.match(/`[^`]+`/g) ?? [])
    .join(' ');
}

function missingIn(list: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => !new RegExp(`\\b${name}\\b`).test(list));
}

describe('the methods of a queue in docs/tasks.md', () => {
  const queue = createQueue({ broker: createMemoryBroker() });

  it('are all that it has', () => {
    expect(missingIn(tableAt('docs/tasks.md', '### Methods of the queue'), Object.keys(queue))).toEqual([]);
  });

  it.each(['deadLetters', 'operations'] as const)('are all that its %s have', (name) => {
    const list = tableAt('docs/tasks.md', '### Methods of the queue', 2);

    expect(missingIn(list, Object.keys(queue[name]))).toEqual([]);
  });
});

const FIELDS = Object.keys({
  id: true,
  task: true,
  version: true,
  lane: true,
  state: true,
  attempt: true,
  payload: true,
  result: true,
  unreadable: true,
  errors: true,
  epoch: true,
  failures: true,
  stalls: true,
  releases: true,
  rateLimits: true,
  redrives: true,
  carried: true,
  createdAt: true,
  submittedAt: true,
  runAt: true,
  firstStartedAt: true,
  startedAt: true,
  heartbeatAt: true,
  endedAt: true,
  resetAt: true,
  retry: true,
  concurrency: true,
  fairnessKey: true,
  origin: true,
  context: true,
  errorGroup: true,
  isCancelRequested: true,
  isDisposable: true,
  trimmed: true,
} satisfies Record<keyof RunView, true>);

it('docs/finding-runs.md names every field of a RunView', () => {
  expect(missingIn(tableAt('docs/finding-runs.md', '## What you get'), FIELDS)).toEqual([]);
});

describe('the commands about a queue in docs/queue-from-a-shell.md', () => {
  const list = tableAt('docs/queue-from-a-shell.md', '# A queue from a shell');
  const elsewhere = readText('docs/cli.md');
  const groups = createProgram(completeEnvironment({}), () => {}).commands.filter(
    (command) => !elsewhere.includes(`## \`retry ${command.name()}\``),
  );

  it.each(groups.map((group) => [group.name(), group.commands.map((command) => command.name())] as const))(
    'have all of retry %s',
    (name, commands) => {
      const own = new RegExp(`\`retry ${name}\\b[^\`]*\`(?: \`(?!retry)[^\`]*\`)*`, 'g');
      const row = list.match(own)?.join(' ') ?? '';

      expect(missingIn(row, [name, ...commands])).toEqual([]);
    },
  );
});
