import { join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readText, root } from '../support/repository.ts';
import { findUnnamedTypes } from './rules/reached-types.ts';

const STRICT: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  lib: ['lib.es2022.d.ts'],
  types: ['node'],
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
};

describe('a program without strictNullChecks', () => {
  const options = { ...STRICT, strictNullChecks: false };

  it('writes policies wherever they are taken', () => {
    const program = `
      import { definePolicy, extendPolicy } from '@retry/core';
      import { retry, retryIterable, tryRetry, withRetry } from '@retry/inprocess';
      import { createRetryFetch } from '@retry/inprocess/fetch';
      import { defineTask } from '@retry/worker';

      const one = async () => 1;
      definePolicy({ backoff: { type: 'exponential', base: '100ms' }, jitter: { plus: '20ms' } });
      definePolicy({ retryIf: (error, { attempt }) => attempt < 3 && error instanceof Error });
      extendPolicy({ jitter: 'full' }, { retryAfter: { mode: 'ignore' } });
      withRetry(one, { attemptTimeout: '5s' });
      retry(one, { attemptTimeout: '5s' });
      tryRetry(one, { attemptTimeout: '5s' });
      retryIterable(async function* () {}, { attemptTimeout: '5s' });
      createRetryFetch({ attemptTimeout: '5s' });
      defineTask({ name: 'send', retry: { attemptTimeout: '5s' }, run: (to: string) => to });`;

    expect(findMistakes(program, options)).toEqual([]);
  });

  it('does not spread a policy', () => {
    const program = `
      import { definePolicy } from '@retry/core';
      definePolicy({ ...definePolicy(), maxAttempts: 5 });`;

    expect(findMistakes(program, options)).toHaveLength(1);
  });
});

describe('a program that writes declarations', () => {
  const options = { ...STRICT, noEmit: false, declaration: true, outDir: join(root, 'docs') };

  it('exports what our functions return, and parts of it', () => {
    const program = `
      import { definePolicy, preview } from '@retry/core';
      import type { WaitOptions } from '@retry/core/broker';
      import type { CeleryOptions, CmdxDeclaration, FluidRetryPolicy, JobbersOptions } from '@retry/core/dialects';
      import { taskerReadiness } from '@retry/core/dialects/parity';
      import { createRetryGroup } from '@retry/inprocess';
      import { createMemoryBroker } from '@retry/inprocess/broker';
      import { createQueue, defineTask } from '@retry/worker';

      export const { retries } = preview(definePolicy());
      export const waits = ({ signal }: WaitOptions) => signal;
      export const celery = ({ autoretry_for: listed }: CeleryOptions) => listed;
      export const cmdx = ({ exceptions }: CmdxDeclaration) => exceptions;
      export const fluid = ({ exceptions }: FluidRetryPolicy) => exceptions;
      export const jobbers = ({ expected_exceptions: listed }: JobbersOptions) => listed;
      export const readiness = taskerReadiness(definePolicy(), { state: 'pending' }, 0);
      export const { park } = createRetryGroup();
      export const { submit, submitMany, submitAndWait, waitForResult, resubmit, get, list, search, on } =
        createQueue({ broker: createMemoryBroker() });
      export const holds = () => createQueue({ broker: createMemoryBroker() }).holds();
      export const { globalRateLimit } = defineTask({ name: 'send', run: (to: string) => to });`;

    expect(findMistakes(program, options)).toEqual([]);
  });
});

describe('a program that ends what it opened by await using', () => {
  const program = `
    import { createRetryGroup } from '@retry/inprocess';
    import { createMemoryBroker } from '@retry/inprocess/broker';
    import { createWorker, type AnyTask, type Worker } from '@retry/worker';

    export async function work(tasks: AnyTask[]) {
      await using broker = createMemoryBroker();
      await using worker = createWorker({ broker, tasks });
      await using group = createRetryGroup();
      worker.start();
      return group.active();
    }
    export const end: (worker: Worker) => Promise<void> = (worker) => worker[Symbol.asyncDispose]();`;

  it('compiles where its types know the symbol', () => {
    expect(findMistakes(program, STRICT)).toEqual([]);
  });

  it('uses the same objects otherwise where they do not', () => {
    const without = { ...STRICT, lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [] };
    const plain = `
      import { createRetryGroup, type RetryGroup } from '@retry/inprocess';
      import { createMemoryBroker, type MemoryBroker } from '@retry/inprocess/broker';

      const group: RetryGroup = createRetryGroup();
      const broker: MemoryBroker = { ...createMemoryBroker(), close: async () => {} };
      export const end = async () => { await group.drain(); await broker.close(); };`;

    expect(findMistakes(program, without)).not.toEqual([]);
    expect(findMistakes(plain, without)).toEqual([]);
  });
});

describe('an entry of a package', () => {
  const entries = ['inprocess', 'worker', 'redis-queue', 'postgres', 'board', 'otel'].flatMap((name) => {
    const { exports } = JSON.parse(readText(`packages/${name}/package.json`));
    const files = Object.values<string>(exports).filter((file) => file.endsWith('.ts'));
    return files.map((file) => join(root, 'packages', name, file));
  });
  const lib = ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'];

  it('exports the types of what its functions return', () => {
    const options = { ...STRICT, lib };
    const program = ts.createProgram(entries, options, hostOf(options));

    const found = entries.flatMap((entry) =>
      findUnnamedTypes(program, entry).map((type) => `${relative(root, entry)} exports no ${type}`),
    );

    expect(found).toEqual([]);
  });
});

describe('a program with the types of a browser', () => {
  const options = { ...STRICT, lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], types: [] };

  it('passes a fetch of another implementation, or its own', () => {
    const program = `
      import { fetch as undiciFetch } from 'undici';
      import { createRetryFetch, type AnyFetch, type RetryFetchOptions } from '@retry/inprocess/fetch';

      const options: RetryFetchOptions<AnyFetch> = { fetch: undiciFetch };
      createRetryFetch({}, options);
      createRetryFetch({}, { fetch: undiciFetch });
      createRetryFetch(undefined, { fetch: (input, init) => fetch(input, { ...init, keepalive: true }) });
      createRetryFetch({}, { fetch: async () => new Response() });`;

    expect(findMistakes(program, options)).toEqual([]);
  });

  it('passes no function that is not a fetch', () => {
    const program = `
      import { createRetryFetch } from '@retry/inprocess/fetch';
      createRetryFetch({}, { fetch: () => 5 });`;

    expect(findMistakes(program, options)).toHaveLength(1);
  });
});

/** Files that no program changes, parsed once for all of them: their bound symbols may be shared, as editors do. */
const parsed = new Map<string, ts.SourceFile | undefined>();

function hostOf(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, version) => {
    const key = JSON.stringify([name, version]);
    if (!parsed.has(key)) parsed.set(key, getSourceFile(name, version));
    return parsed.get(key);
  };
  return host;
}

/** What the compiler says of a program, and of the declarations that it would write for it. */
function findMistakes(text: string, options: ts.CompilerOptions): readonly string[] {
  const path = join(root, 'docs', 'program.mts');
  const host = hostOf(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => name === path || fileExists(name);
  host.getSourceFile = (name, version) =>
    name === path ? ts.createSourceFile(name, text, version) : getSourceFile(name, version);
  const program = ts.createProgram({ rootNames: [path], options, host });
  const file = program.getSourceFile(path);
  const declarations = options.declaration === true ? program.getDeclarationDiagnostics(file) : [];
  return [...program.getSemanticDiagnostics(file), ...declarations].map(
    ({ code, messageText }) => `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  );
}
