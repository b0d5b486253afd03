import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import type { BrokerScene } from '@retry/broker-contract';
import { brokerContract } from '@retry/broker-contract';
import * as brokerKit from '@retry/core/broker/kit';
import * as lifecycle from '@retry/core/lifecycle';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { FAIRNESS_MUTANTS } from './fairness-mutants.ts';
import { GROUP_MUTANTS } from './group-mutants.ts';
import type { Mutant } from './mutants.ts';
import { MUTANTS } from './mutants.ts';
import { createNaiveBroker } from './naive-broker.ts';
import { NOTE_MUTANTS } from './note-mutants.ts';
import { openNaive } from './open-naive.ts';
import { OPERATION_MUTANTS } from './operation-mutants.ts';
import { ORDER_MUTANTS } from './order-mutants.ts';
import { SUBMIT_MUTANTS } from './submit-mutants.ts';
import { UNIQUE_MUTANTS } from './unique-mutants.ts';

const KIT = '../../packages/core/src/broker/kit/';

/** The files of the naive broker, and those of the kit with the rules that it uses. */
const SOURCES: ReadonlyMap<string, string> = new Map([
  ...readAll('./', [
    ...['naive-broker.ts', 'storage.ts', 'exchange.ts', 'wait.ts', 'submit.ts'],
    ...['read.ts', 'change.ts', 'groups.ts', 'notes.ts'],
  ]),
  ...readAll(KIT, [
    ...['holds.ts', 'notes.ts', 'settlement-rules.ts', 'start-counts.ts', 'unique-keys.ts'],
    ...['insight/attendance.ts', 'insight/error-groups.ts'],
    ...['run/change-rules.ts', 'run/list-runs.ts', 'run/submitted-run.ts'],
    ...['work/limits-of-claim.ts', 'work/replies.ts', 'work/start-wait.ts'],
  ]),
]);

/** A case that takes this long never ends: its clock is a fake one. */
const STUCK_MS = 2_000;

describe('the broker contract', () => {
  it.each([
    ...MUTANTS,
    ...NOTE_MUTANTS,
    ...OPERATION_MUTANTS,
    ...ORDER_MUTANTS,
    ...FAIRNESS_MUTANTS,
    ...GROUP_MUTANTS,
    ...SUBMIT_MUTANTS,
    ...UNIQUE_MUTANTS,
  ])('catches a broker that $name', async (mutant) => {
    const run = findCase(mutant.caughtBy);

    await expect(run(sceneOf(createNaiveBroker))).resolves.toBeUndefined();
    await expect(endInTime(run, sceneOf(await loadMutant(mutant)))).rejects.toThrow();
  });

  it('names each of its cases once', () => {
    const names = brokerContract.map(({ name }) => name);

    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('rejects a scene that has no ability which a case requires', async () => {
    const [optional] = brokerContract.filter(({ requires }) => requires.includes('retention'));

    const scene = { ...sceneOf(createNaiveBroker), abilities: [] };

    await expect(optional?.run(scene)).rejects.toThrow('this case requires retention');
  });
});

function readAll(folder: string, files: readonly string[]): readonly (readonly [string, string])[] {
  return files.map((file) => [folder + file, readFileSync(new URL(folder + file, import.meta.url), 'utf8')]);
}

/** The naive broker with one mistake, in itself or in a rule of the kit. */
async function loadMutant({ name, from, to }: Mutant): Promise<typeof createNaiveBroker> {
  const [file = '', ...others] = [...SOURCES].filter(([, text]) => text.includes(from)).map(([path]) => path);
  const source = SOURCES.get(file) ?? '';
  if (others.length > 0 || source.split(from).length !== 2)
    throw new Error(`"${name}" must change one place of the naive broker`);
  const mutated = source.replace(from, () => to);
  const kit = file.startsWith(KIT) ? { ...brokerKit, ...(await loadRule(file, mutated)) } : brokerKit;
  const exported: { createNaiveBroker?: typeof createNaiveBroker } = loadModule('./naive-broker.ts', {
    sources: new Map(SOURCES).set(file, mutated),
    loaded: new Map<string, object>([
      ['@retry/core/broker/kit', kit],
      ['@retry/core/lifecycle', lifecycle],
    ]),
  });
  return exported.createNaiveBroker ?? missing('the naive broker exports no createNaiveBroker');
}

/** The exports of one file of the kit, whose own imports are as they are. */
async function loadRule(file: string, source: string): Promise<object> {
  const text = transpile(source);
  const loaded = new Map<string, object>();
  for (const [, path = ''] of text.matchAll(/require\("([^"]+)"\)/gu))
    loaded.set(path, await import(fileURLToPath(new URL(path, new URL(file, import.meta.url)))));
  const exported = {};
  compileFunction(text, ['exports', 'require'])(exported, (path: string) => loaded.get(path));
  return exported;
}

/** The texts of a mutant's files, and what is loaded of it and of the packages. */
interface Loading {
  readonly sources: ReadonlyMap<string, string>;
  readonly loaded: Map<string, object>;
}

/** The exports of one file, whose imports are loaded, too; each file once. */
function loadModule(file: string, { sources, loaded }: Loading): object {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const exported = {};
  loaded.set(file, exported);
  const text = transpile(sources.get(file) ?? missing(`there is no ${file}`));
  const load = (path: string) => loadModule(path, { sources, loaded });
  compileFunction(text, ['exports', 'require'])(exported, load);
  return exported;
}

/** What texts were transpiled to: of the files of a mutant all but one are as they were. */
const transpiled = new Map<string, string>();

function transpile(text: string): string {
  const known = transpiled.get(text);
  if (known !== undefined) return known;
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  transpiled.set(text, outputText);
  return outputText;
}

function findCase(name: string): (scene: BrokerScene) => Promise<void> {
  return (
    brokerContract.find((one) => one.name === name)?.run ?? missing(`the contract has no case "${name}"`)
  );
}

function sceneOf(create: typeof createNaiveBroker): BrokerScene {
  let advance: BrokerScene['advance'] = async () => {};
  return {
    open: async (options) => {
      const harness = openNaive(create, options);
      advance = harness.advance;
      return harness.broker;
    },
    advance: (ms) => advance(ms),
    abilities: ['retention', 'figures'],
  };
}

/** Runs a case. One that does not end gets no more time, or it would slow down all tests after it in this process. */
async function endInTime(run: (scene: BrokerScene) => Promise<void>, scene: BrokerScene): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const stuck = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the case does not end')), STUCK_MS);
  });
  const advance: BrokerScene['advance'] = (ms) =>
    isOver ? Promise.reject(new Error('the case is over')) : scene.advance(ms);
  await Promise.race([run({ ...scene, advance }), stuck]).finally(() => {
    isOver = true;
    clearTimeout(timer);
  });
}

function missing(message: string): never {
  throw new Error(message);
}
