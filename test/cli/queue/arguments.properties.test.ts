import { createServer } from 'node:net';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createTestClock } from '@retry/worker/testing';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../../packages/cli/src/commands/create-program.ts';
import { completeEnvironment } from '../../../packages/cli/src/environment.ts';
import type { RunOptions } from '../run-in-memory.ts';
import { run } from '../run-in-memory.ts';
import { idOf, seedQueue } from './seed.ts';

/** The words of a command, and the options that it has. */
interface Call {
  readonly words: readonly string[];
  readonly options: readonly string[];
}

/** Every command that asks a queue, but the board, which serves until it is stopped. */
const CALLS = callsOf(
  createProgram(completeEnvironment({}), () => {}),
  [],
).filter(({ words: [first] }) => first !== 'board');

function callsOf(command: ReturnType<typeof createProgram>, words: readonly string[]): readonly Call[] {
  const inner = command.commands.flatMap((own) => callsOf(own, [...words, own.name()]));
  const options = command.options.map(({ long }) => long ?? '');
  return options.includes('--url') ? [...inner, { words, options }] : inner;
}

const VALUES = [
  ...['', '0', '-1', '2', '1e99', '99999999999999999999', '10ms', '1h', '-5s', 'Infinity', '50/s', '0/s'],
  ...['--', '-', 'null', '[]', '{"a":', '{"maxAttempts":3}', '{"retries":1}', '__proto__', 'constructor'],
  ...['failed', 'started,failed', 'nowhere', 'send-email', 'send-email@1', '@', '@2', 'report@1'],
  ...['2026-01-01T00:00:00Z', '275760-09-13T00:00:00.001Z', '\u0000', '\u001b[31m', 'ß'.repeat(300)],
  ...['Error', 'RangeError', '01ff', 'no-such-id', '7f', '../..'],
] as const;

/** Another server, and the stack that is asked for. */
const SPECIAL = ['--url', '--verbose'];

/** Arguments behind a command: its own options, with values that may be wrong, and others. */
function argumentsOf({ words, options }: Call): fc.Arbitrary<readonly string[]> {
  // What is watched may have been redriven before: then it would rightly be watched for ever.
  const ids = words.includes('watch') ? [] : ['send-email dead-1', 'resize-image dead'];
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...VALUES) },
    { weight: 1, arbitrary: fc.constantFrom('none', ...ids).map(knownId) },
    { weight: 1, arbitrary: fc.string() },
  );
  const option = fc.constantFrom(...options.filter((name) => !SPECIAL.includes(name)), '--limti', '--help');
  const part = fc.oneof(
    value.map((given) => [given]),
    option.map((name) => [name]),
    fc.tuple(option, value).map(([name, given]) => [name, given]),
  );
  return fc.array(part, { maxLength: 4 }).map((parts) => [...words, ...parts.flat()]);
}

/** Known when the queue is filled. */
function knownId(names: string): string {
  const [task = '', key = ''] = names.split(' ');
  return idOf(task, key) || 'none';
}

const ANY_CALL = fc.constantFrom(...CALLS).chain(argumentsOf);

/** Longer than any call needs; a call that takes longer waits for something that does not come. */
const STUCK_MS = 10_000;

async function expectToEndWell(args: readonly string[], options: RunOptions): Promise<void> {
  // The doctor watches for a while, and a redrive waits until all runs have their times.
  const [first = '', second = ''] = args;
  const quick =
    first === 'doctor'
      ? [first, '--watch', '0ms', ...args.slice(1)]
      : ['redrive', 'discard'].includes(second)
        ? [first, second, '--detach', ...args.slice(2)]
        : args;
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not end')), STUCK_MS);
  });
  const { exitCode, out, err } = await Promise.race([run(quick, options), stuck]);
  clearTimeout(timer);

  expect([0, 1, 2, 3]).toContain(exitCode);
  expect(out + err).not.toMatch(/\n {4}at (?!mail|resize)|This is a bug/);
  // Nothing but colours moves a terminal, and there are none without one.
  expect(out + err).not.toContain('\u001b');
}

it('there are commands that ask a queue', () => {
  expect(CALLS.map(({ words }) => words.join(' '))).toEqual(
    expect.arrayContaining(['top', 'dlq redrive', 'runs watch', 'operations cancel', 'replay']),
  );
});

describe('the arguments of commands about a queue', () => {
  const clock = createTestClock(Date.UTC(2026, 0, 1, 11, 55));
  const broker = createMemoryBroker({ clock });
  beforeAll(() => seedQueue({ broker, clock }));

  it('never end in a stack, whatever they are', async () => {
    await fc.assert(fc.asyncProperty(ANY_CALL, (args) => expectToEndWell(args, { broker })));
  });

  it.each(['postgres://me:s3cret@127.0.0.1:1/app', 'redis://me:s3cret@127.0.0.1:1'])(
    'never end in a stack without a server: %s',
    async (url) => {
      const env = { RETRY_URL: url };
      await fc.assert(fc.asyncProperty(ANY_CALL, (args) => expectToEndWell(args, { env })));
    },
  );
});

describe('a server that takes connections and never answers', () => {
  it.concurrent.each(['redis', 'postgres'])('is not reached: %s', async (scheme) => {
    const sockets = new Set<{ readonly destroy: () => void }>();
    const server = createServer((socket) => void sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;

    const { err, exitCode } = await run(['audit', '--url', `${scheme}://me:s3cret@127.0.0.1:${port}`]);
    for (const socket of sockets) socket.destroy();
    server.close();

    expect({ exitCode, isPasswordShown: err.includes('s3cret') }).toEqual({
      exitCode: 3,
      isPasswordShown: false,
    });
    expect(err).toMatch(/was not reached.* within \d+ ms|was not reached: .*timeout/);
  });
});
