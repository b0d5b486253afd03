import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';
import type { BrokerScene } from '@retry/broker-contract';
import { brokerContract } from '@retry/broker-contract';
import * as brokerKit from '@retry/core/broker/kit';
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

/** The files of the naive broker. */
const SOURCES: ReadonlyMap<string, string> = new Map(
  [
    'naive-broker.ts',
    'storage.ts',
    'exchange.ts',
    'wait.ts',
    'unique.ts',
    'read.ts',
    'change.ts',
    'holds.ts',
    'groups.ts',
    'notes.ts',
    'reservations.ts',
  ].map((file) => [file, readFileSync(new URL(file, import.meta.url), 'utf8')]),
);

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
    await expect(endInTime(run(sceneOf(loadMutant(mutant))))).rejects.toThrow();
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

/** The naive broker with one mistake. */
function loadMutant({ name, from, to }: Mutant): typeof createNaiveBroker {
  const [file, ...others] = [...SOURCES].filter(([, text]) => text.includes(from)).map(([path]) => path);
  const source = SOURCES.get(file ?? '') ?? '';
  if (others.length > 0 || source.split(from).length !== 2)
    throw new Error(`"${name}" must change one place of the naive broker`);
  const mutated = new Map(SOURCES).set(
    file ?? '',
    source.replace(from, () => to),
  );
  const exported: { createNaiveBroker?: typeof createNaiveBroker } = loadModule('naive-broker.ts', mutated);
  return exported.createNaiveBroker ?? missing('the naive broker exports no createNaiveBroker');
}

/** The exports of one file, whose relative imports are loaded from these sources, too; each file once. */
function loadModule(
  file: string,
  sources: ReadonlyMap<string, string>,
  loaded = new Map<string, object>(),
): object {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const exported = {};
  loaded.set(file, exported);
  const load = (path: string) =>
    path.startsWith('./') ? loadModule(path.slice(2), sources, loaded) : brokerKit;
  const text = transpile(sources.get(file) ?? missing(`there is no ${file}`));
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

async function endInTime(run: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the case does not end')), STUCK_MS);
  });
  await Promise.race([run, stuck]).finally(() => clearTimeout(timer));
}

function missing(message: string): never {
  throw new Error(message);
}
