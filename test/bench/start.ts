/** `npm run bench -- start`: from the start of a process to its first run that is settled, and to the answer of `retry preview`. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { openRedisServer } from './harness/redis-server.ts';
import { readVersions } from './harness/versions.ts';
import { isWanted, printHeader, printTable, roundsOr } from './report.ts';
import { inRounds } from './rounds.ts';
import { startTargets } from './targets/start.ts';

const ROUNDS = roundsOr(11);
const FIRST_RUN = 'Redis: a new process imports, submits a run and has it settled';
const PREVIEW = 'an installed program: retry preview';
const POLICY = '{"maxAttempts":5}';

const server = await openRedisServer();
printHeader('start', [server.version, ...readVersions(['bullmq', 'bee-queue', 'redis'])]);
if (isWanted(FIRST_RUN)) await compareFirstRuns(['BullMQ', 'bee-queue', 'retry on Redis']);
await server.stop();
if (isWanted(PREVIEW)) await comparePrograms();

/** Each contender in a new process, by its own clock. */
async function compareFirstRuns(names: readonly string[]): Promise<void> {
  const rows = names.map((name) => ({ name }));
  const results = await inRounds(rows, ROUNDS, (index) => {
    const name = names[index] ?? '';
    const place = name.replaceAll(/\W/g, '_').toLowerCase();
    return Number(runNode([join(import.meta.dirname, 'first-run.mjs'), name, server.url, place]));
  });
  printTable(FIRST_RUN, 'ms', results, startTargets);
}

async function comparePrograms(): Promise<void> {
  const { resolve } = createRequire(join(import.meta.dirname, 'start.mjs'));
  const program = join(resolve('@retry/cli/package.json'), '..', 'dist', 'main.js');
  const commands = [
    { name: 'node -e 0', args: ['-e', '0'] },
    { name: 'retry preview', args: [program, 'preview', POLICY] },
  ];
  const results = await inRounds(commands, ROUNDS, (index) => {
    const startedAt = performance.now();
    runNode(commands[index]?.args ?? []);
    return performance.now() - startedAt;
  });
  printTable(PREVIEW, 'ms', results, startTargets);
}

/** Returns what it printed. @throws when it failed */
function runNode(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
