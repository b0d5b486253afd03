/** Type-checks a program that uses the tarballs, with each TypeScript that users may have, in the layout that pnpm makes. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './run.mjs';
import { startBin } from './side-by-side.mjs';
import { root } from './workspace.mjs';

/** The packages of the workspace that have them, the oldest first. README.md says from which one on ours are supported. */
const COMPILERS = { 5.4: 'typescript-5.4', 5.9: 'typescript', 7: 'typescript-7' };

const RESOLUTIONS = { bundler: 'esnext', node16: 'node16' };

/** What the program installs. Below pnpm it does not find core, from which their types come. */
const DIRECT = ['inprocess', 'worker', 'redis-queue', 'postgres'];

/**
 * @param folder - where to make the project; must not exist yet
 * @param packed - `{ name, manifest, tarball }` of each package
 * @returns checks for `reportAll`
 */
export function checksOfTypeScript(folder, packed) {
  mkdirSync(folder, { recursive: true });
  for (const entry of packed) addPackage(folder, entry);
  for (const name of DIRECT) linkTo(join(folder, 'node_modules', '@retry', name), storeOf(folder, name));
  linkTo(
    join(folder, 'node_modules', '@types', 'node'),
    realpathSync(join(root, 'node_modules', '@types', 'node')),
  );
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  writeFileSync(join(folder, 'program.ts'), writeProgram(folder));
  return Object.entries(COMPILERS).flatMap(([version, compiler]) =>
    Object.keys(RESOLUTIONS).map((resolution) => ({
      name: `a program of TypeScript ${version}, ${resolution}`,
      check: () => compile(folder, compiler, resolution),
    })),
  );
}

/** pnpm keeps each package in a folder of its own, and links beside it what it depends on. */
function addPackage(folder, { name, manifest, tarball }) {
  const inside = storeOf(folder, name);
  mkdirSync(inside, { recursive: true });
  const { code, output } = run('tar', ['-xzf', tarball, '-C', inside, '--strip-components', '1']);
  if (code !== 0) throw new Error(output);
  const ours = Object.keys(manifest.dependencies ?? {}).filter((dependency) =>
    dependency.startsWith('@retry/'),
  );
  for (const dependency of ours) {
    const beside = join(dirname(inside), dependency.slice('@retry/'.length));
    linkTo(beside, storeOf(folder, dependency.slice('@retry/'.length)));
  }
}

function storeOf(folder, name) {
  return join(folder, 'node_modules', '.pnpm', `@retry+${name}@0.0.0`, 'node_modules', '@retry', name);
}

function linkTo(path, target) {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, 'junction');
}

/** Exports what functions return, every verb of a queue among them, so that the compiler has to name all types. */
function writeProgram(folder) {
  const verbs = `
    import { createQueue } from '@retry/worker';
    import { createMemoryBroker } from '@retry/inprocess/broker';
    console.log(Object.keys(createQueue({ broker: createMemoryBroker() })).join());`;
  const { code, stdout, output } = run(process.execPath, ['--input-type=module', '-e', verbs], {
    cwd: folder,
  });
  if (code !== 0) throw new Error(output);
  const names = stdout.trim().split(',');
  return `${PROGRAM}\n${names.map((name) => `export const queue_${name} = queue.${name};`).join('\n')}\n`;
}

const PROGRAM = `
import { createCircuitBreaker, createRetryBudget, createRetryGroup, retry, retryInfo, retrying, retryIterable, tryRetry, withRetry } from '@retry/inprocess';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createRetryFetch } from '@retry/inprocess/fetch';
import { createPostgresBroker } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue, createWorker, defineTask } from '@retry/worker';

const load = async (id: number) => ({ id, at: 'now' });

export const wrapped = withRetry(load, { maxAttempts: 5, backoff: { type: 'exponential', base: '100ms' } });
export const loaded = () => retry(({ attempt }) => load(attempt), { attemptTimeout: '5s' });
export const tried = () => tryRetry(() => load(1));
export const items = () => retryIterable(async function* () { yield 1; });
export const info = (error: unknown) => retryInfo(error);
export const fetchAgain = createRetryFetch({ maxAttempts: 4 });
export const limits = { budget: createRetryBudget({ type: 'ratio', ratio: 0.1 }), group: createRetryGroup(), breaker: createCircuitBreaker() };

export class Users {
  @retrying({ maxAttempts: 5 }, { retryIfResult: (user: unknown) => user === undefined })
  async load<Id extends number>(id: Id): Promise<{ readonly id: Id }> { return { id }; }
  @retrying()
  static async create(): Promise<Users> { return new this(); }
}

export const send = defineTask({
  name: 'send',
  retry: { maxAttempts: 3, retryOn: [{ status: [429, 503] }] },
  run: async (mail: { readonly to: string }, ctx) => ({ to: mail.to, attempt: ctx.attempt }),
});
export const brokers = () => ({
  memory: createMemoryBroker(),
  redis: createRedisBroker({ url: 'redis://localhost' }),
  postgres: createPostgresBroker({ url: 'postgres://localhost/jobs' }),
});
export const worker = () => createWorker({ broker: brokers().memory, tasks: [send], concurrency: 4 });
export const queue = createQueue({ broker: brokers().memory });
export const sent = () => queue.submit(send, { to: 'a@b.c' });
export const holds = () => queue.holds();
`;

async function compile(folder, compiler, resolution) {
  const name = `${compiler}-${resolution}`;
  const outDir = join(folder, 'out', name);
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
    ...{ target: 'es2022', lib: ['es2022'], types: ['node'] },
    ...{ module: RESOLUTIONS[resolution], moduleResolution: resolution },
    ...{ declaration: true, outDir, rootDir: folder },
  };
  const config = join(folder, `tsconfig.${name}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  return startBin(compiler, 'tsc', ['--pretty', 'false', '--project', config]);
}
