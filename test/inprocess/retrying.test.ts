import { readFileSync } from 'node:fs';
import { createRetryBudget, retrying } from '@retry/inprocess';
import { transformSync } from 'esbuild';
import typescript from 'typescript';
import typescript54 from 'typescript-5.4';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from './failing.ts';
import type { createDecorated as CreateDecorated } from './fixtures/decorated.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;

type Compiler = (source: string) => string;

function byTypeScript(compiler: typeof typescript, isExperimental = false): Compiler {
  const compilerOptions = {
    target: compiler.ScriptTarget.ES2022,
    module: compiler.ModuleKind.CommonJS,
    experimentalDecorators: isExperimental,
  };
  return (source) => compiler.transpileModule(source, { compilerOptions }).outputText;
}

function byEsbuild(isExperimental = false): Compiler {
  const tsconfigRaw = { compilerOptions: { experimentalDecorators: isExperimental } };
  return (source) =>
    transformSync(source, { loader: 'ts', format: 'cjs', target: 'es2022', tsconfigRaw }).code;
}

const COMPILERS: Readonly<Record<string, Compiler>> = {
  'TypeScript 5.4': byTypeScript(typescript54 as unknown as typeof typescript), // the same names, of an older release
  'TypeScript 5.9': byTypeScript(typescript),
  esbuild: byEsbuild(),
};

/** Compiles a module without imports, and returns what it exports. */
function load(compile: Compiler, source: string): Readonly<Record<string, unknown>> {
  const module = { exports: {} };
  new Function('module', 'exports', compile(source))(module, module.exports);
  return module.exports;
}

/** Defines a class with these members, in whose decorators `again` stands for what was given. */
function define(members: string, again: unknown, compile = byEsbuild()): unknown {
  const create = load(compile, `export function create(again) { class Api { ${members} } return Api; }`)[
    'create'
  ];
  return (create as (again: unknown) => unknown)(again);
}

describe.each(Object.entries(COMPILERS))('retrying, compiled by %s', (_, compile) => {
  const source = readFileSync(new URL('fixtures/decorated.ts', import.meta.url), 'utf8');
  const createDecorated = load(compile, source)['createDecorated'] as typeof CreateDecorated;

  it('retries a method, and keeps this, arguments and result', async () => {
    const { Base, calls } = createDecorated(retrying);

    expect(await new Base('api').load(7)).toBe('api 7!');
    expect(await new Base('api').pick([1, 2])).toBe(1);
    expect(calls).toEqual(['load api', 'load api', 'pick', 'pick']);
  });

  it('retries static and private methods', async () => {
    const { Base, calls } = createDecorated(retrying);

    expect(await new Base('api').secret()).toBe('secret of api');
    expect(await Base.create('new')).toMatchObject({ name: 'new' });
    expect(await Base.hidden()).toBe('hidden');
    expect(calls).toEqual(['secret', 'secret', 'create', 'create', 'hidden', 'hidden']);
  });

  it('is inherited, and called by super', async () => {
    const { Derived } = createDecorated(retrying);

    expect(await new Derived('api').load(7)).toBe('derived: api 7?');
    expect(await Derived.create('new')).toBeInstanceOf(Derived);
  });

  it('leaves a method what it was: named, not enumerable, with its length', () => {
    const { Base } = createDecorated(retrying);

    expect([Base.prototype.load.name, Base.prototype.load.length]).toEqual(['load', 1]);
    expect(Object.keys(Base.prototype)).toEqual([]);
  });
});

describe('retrying', () => {
  it('reads its policy once, where it is written, for all methods', () => {
    let reads = 0;
    const policy = {
      get maxAttempts() {
        reads += 1;
        return 3;
      },
    };
    const again = retrying(policy);
    const before = reads;

    define('@again async one() {} @again async two() {}', again);

    expect(before).toBeGreaterThan(0);
    expect(reads).toBe(before);
  });

  it('takes the options of a call', async () => {
    const names: string[] = [];
    const again = retrying(AT_ONCE, {
      budget: createRetryBudget({ type: 'ratio', ratio: 0.1, minPerSecond: 5 }),
      retryIfResult: (result) => result === undefined,
      onRetry: ({ name, arguments: [id] }) => names.push(`${name} ${id}`),
    });
    const Api = define('@again async find(id) { this.calls = (this.calls ?? 0) + 1; }', again) as new () => {
      readonly calls: number;
      find(id: number): Promise<unknown>;
    };
    const api = new Api();

    expect(await api.find(7)).toBeUndefined();
    expect(api.calls).toBe(3);
    expect(names).toEqual(['find 7', 'find 7']);
  });

  it('rejects with the error of the last attempt', async () => {
    const boom = new Error('boom');
    const Api = define('@again async load() { throw this.error; }', retrying(AT_ONCE)) as new () => {
      error: unknown;
      load(): Promise<unknown>;
    };

    expect(await rejectionOf(Object.assign(new Api(), { error: boom }).load())).toBe(boom);
  });

  it('refuses a wrong policy and wrong options where it is written', () => {
    expect(() => retrying({ retries: 3 } as never, { maxAttempts: 3 } as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        problems: [
          expect.objectContaining({ path: 'retries' }),
          expect.objectContaining({
            path: 'maxAttempts',
            cure: 'Write it in the policy: retrying(policy, options).',
          }),
        ],
      }),
    );
  });

  it.each([
    ['a field', '@again value = 1;', 'field'],
    ['a getter', '@again get value() { return 1; }', 'getter'],
    ['a setter', '@again set value(_) {}', 'setter'],
    ['an accessor', '@again accessor value = 1;', 'accessor'],
  ])('refuses %s when the class is defined', (_, members, kind) => {
    expect(() => define(members, retrying())).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        problems: [expect.objectContaining({ path: 'context.kind', value: kind })],
      }),
    );
  });

  it('refuses a class, a generator, a function, and to be no call', () => {
    const refused = (use: () => unknown): unknown => {
      try {
        return use();
      } catch (error) {
        return (error as { problems: readonly { path: string }[] }).problems.map(({ path }) => path);
      }
    };
    const again = retrying() as (method: unknown, context?: unknown) => unknown;

    expect(refused(() => again(class {}, { kind: 'class', name: 'Api' }))).toEqual(['context.kind']);
    expect(refused(() => define('@again async *items() {}', retrying()))).toEqual(['method']);
    expect(refused(() => again(async () => {}))).toEqual(['context']);
    expect(refused(() => define('@again async load() {}', retrying))).toEqual(['policy']);
  });

  it.each([
    ['TypeScript 5.4', byTypeScript(typescript54 as unknown as typeof typescript, true)],
    ['TypeScript 5.9', byTypeScript(typescript, true)],
    ['esbuild', byEsbuild(true)],
  ])('says what to write where %s compiles decorators of the older form', (_, compile) => {
    for (const members of ['@again async load() {}', '@again static async load() {}', '@again load = 1'])
      expect(() => define(members, retrying(), compile)).toThrow(
        expect.objectContaining({
          code: 'EXPERIMENTAL_DECORATORS',
          message: expect.stringContaining('load = withRetry('),
        }),
      );
  });
});
