import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createRedisBroker } from '@retry/redis-queue';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeArgs } from '../../support/programs/node-args.ts';
import { root } from '../../support/repository.ts';
import { describeOnRedis } from '../../support/servers/describe-on-redis.ts';
import { removeKeys } from '../../support/servers/remove-keys.ts';
import { seedQueue } from './seed.ts';

const PYTHON = 'python3';
const hasTerminal = spawnSync(PYTHON, ['-c', 'import pty, os; os.waitstatus_to_exitcode']).status === 0;
const need = hasTerminal ? '' : ' (not run: it needs python3 from 3.9 on, with pty)';

const program = fileURLToPath(new URL('pseudo-terminal.py', import.meta.url));
const main = `${root}/packages/cli/src/main.ts`;

/** Waits until the terminal shows a text, then presses keys. */
type Answer = readonly [shown: string, keys: string];

/** Runs the program on a terminal of 100 columns and returns what that shows, and the exit status. */
function onTerminal(args: readonly string[], answers: readonly Answer[] = []): string {
  const command = [process.execPath, ...nodeArgs(), main, ...args];
  const asked = JSON.stringify({ command, answers, rows: 24, columns: 100 });
  const env = { ...process.env, TERM: 'xterm', NO_COLOR: '1', CI: '' };
  const options = { cwd: root, env, encoding: 'utf8', timeout: 60_000 } as const;
  const { stdout, stderr } = spawnSync(PYTHON, [program, asked], options);
  expect(stderr).toBe('');
  return stdout.trimEnd();
}

describe.skipIf(!hasTerminal)(`retry on a terminal${need}`, () => {
  it('shows how far a simulation is, and removes that line', () => {
    const busy = ['--capacity', '500/s', '--runs', '60'];

    const shown = onTerminal(['simulate', '{"maxAttempts":3}', ...busy]);
    const data = onTerminal(['simulate', '{"maxAttempts":3}', ...busy, '--json']);

    const [progress = '', report = ''] = shown.split('60 of 60 seeds\r\u001b[K');
    expect(progress).toMatch(/\d+ of 60 seeds/);
    expect(report).toMatch(/^load +\S[\s\S]*advice/);
    expect(data).toMatch(/^\{/);
  });

  describeOnRedis('of a queue on Redis', (server) => {
    let prefix = '';
    const on = (...args: readonly string[]) => [...args, '--url', server().url, '--prefix', prefix];
    beforeEach(async () => {
      prefix = `terminal-${randomUUID()}`;
      const broker = createRedisBroker({ url: server().url, prefix });
      await seedQueue({ broker });
      await broker.close();
    });
    afterEach(() => removeKeys(server().url, prefix));

    it('draws top again and again, and gives the screen back at q', () => {
      const shown = onTerminal(on('top', '--every', '200ms'), [
        ['q ends it', ''],
        ['q ends it', 'x'],
        ['q ends it', 'q'],
      ]);

      const frames = shown.split('retry top').slice(1);
      expect(frames.length).toBeGreaterThanOrEqual(3);
      for (const frame of frames) {
        expect(frame).toContain('4 dead letters');
        expect(frame).toMatch(/report@1 .* none/);
        expect(frame).toContain('RangeError');
      }
      expect(shown.startsWith('\u001b[?1049h')).toBe(true);
      expect(shown.slice(shown.lastIndexOf('\u001b')).split(/\s+/)).toEqual(['\u001b[?1049l', 'exit', '0']);
    });

    it('ends top at Ctrl-C, quietly', () => {
      const shown = onTerminal(on('top'), [['q ends it', '\u0003']]);

      expect(shown.slice(shown.lastIndexOf('\u001b')).split(/\s+/)).toEqual(['\u001b[?1049l', 'exit', '0']);
    });

    it('asks before it discards, and no changes nothing', () => {
      const discard = on('dlq', 'discard', '--error', 'RangeError', '--apply');

      const refused = onTerminal(discard, [['No', 'n']]);
      const left = onTerminal(on('dlq', 'groups'));
      const applied = onTerminal(discard, [['No', 'y']]);
      const after = onTerminal(on('dlq', 'groups'));

      expect(refused).toMatch(/exit 1$/);
      expect(left).toContain('RangeError');
      expect(applied).toMatch(/exit 0$/);
      expect(after).not.toContain('RangeError');
    });

    it('ends top at the first of several keys that arrive together, and while no server answers', async () => {
      const together = onTerminal(on('top'), [['q ends it', 'q\r']]);
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo; // of TCP
      const waiting = onTerminal(
        ['top', '--url', `redis://127.0.0.1:${port}`],
        [['\u001b[?1049h', '\u0003']],
      );
      silent.close();

      expect([together, waiting]).toEqual([0, 0].map(() => expect.stringMatching(/exit 0$/)));
    });

    it('says that nothing was deleted where the question is declined or interrupted', () => {
      const discard = on('dlq', 'discard', '--all', '--apply');
      const forget = on('runs', 'forget', '--all', '--apply');

      const ends = [discard, forget].flatMap((args) =>
        ['n', '\u0003'].map((key) => onTerminal(args, [['No', key]])),
      );

      for (const end of ends) expect(end).toMatch(/Nothing was deleted\.\s+exit 1$/);
    });

    it('shows nothing but the end of a redrive that takes no time', () => {
      const shown = onTerminal(on('dlq', 'redrive', '--all', '--apply'));

      expect(shown).toMatch(/^4\/4 redriven\.\s+exit 0$/);
    });

    it('shows how far a redrive is, ends by Ctrl-C, and says that workers carry it on and what stops it', () => {
      const shown = onTerminal(on('dlq', 'redrive', '--all', '--apply', '--rate', '1/min'), [
        ['Redriving 1 of 4', '\u0003'],
      ]);
      const operations = onTerminal(on('operations', 'ls'));

      const said = shown.replaceAll(/\s+/g, ' ');
      expect(said).toMatch(/Workers carry it on; retry operations cancel \S+ stops it\. exit -2$/);
      expect(operations).toContain('running');
    });
  });
});
