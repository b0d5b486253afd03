import { execFileSync } from 'node:child_process';
import { endRuns } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createTestClock } from '@retry/worker/testing';
import { describe, expect, it } from 'vitest';
import { shellWord } from '../../packages/cli/src/terminal/shell-word.ts';
import { run } from './run-in-memory.ts';

const HOSTILE = [
  'send mail ü@done',
  "x'; touch /tmp/y; '",
  '$(id)',
  '`id`',
  'a&b|c>d',
  '*',
  '~',
  '"',
  '\\',
  '!',
  '#',
];

describe('a foreign text in a command that is printed', () => {
  it.each(HOSTILE)('is one word of a shell, and that text: %s', (text) => {
    expect(execFileSync('sh', ['-c', `printf '%s\\n' ${shellWord(text)}`], { encoding: 'utf8' })).toBe(
      `${text}\n`,
    );
  });

  it('is not quoted where a shell reads one word', () => {
    expect(shellWord('send-email@2')).toBe('send-email@2');
  });

  it('is no option where it begins as one', async () => {
    const clock = createTestClock(Date.UTC(2026, 0, 1, 12));
    const broker = createMemoryBroker({ clock });
    await broker.submit([{ id: '-x', lane: '-mail@1', payload: '{}' }]);
    const { err } = await run(['dlq', 'show', '--', '-x'], { broker });
    await endRuns(broker, [{ id: '-x', as: 'failed', error: { name: 'Error', message: 'no' } }]);
    const { out } = await run(['dlq', 'show', '--', '-x'], { broker });

    expect(err).toContain(' retry runs show -- -x shows it.');
    expect(out).toContain('retry dlq redrive --apply -- -x sends it back');
  });

  it('is quoted in what the program says', async () => {
    const broker = createMemoryBroker();
    const id = 'waits; touch y';
    await broker.submit([{ id, lane: 'mail@1', payload: '{}' }]);

    const { err } = await run(['dlq', 'show', id], { broker });

    expect(err).toContain("retry runs show 'waits; touch y' shows it.");
  });
});
