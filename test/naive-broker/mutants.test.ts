import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';
import * as brokerKit from '@retry/core/broker';
import type { BrokerCase, BrokerScene } from '@retry/worker/testing';
import { brokerContract } from '@retry/worker/testing';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import type { Mutant } from './mutants.ts';
import { MUTANTS } from './mutants.ts';
import type { createNaiveBroker } from './naive-broker.ts';
import { openNaive } from './open-naive.ts';

const SOURCE = readFileSync(new URL('naive-broker.ts', import.meta.url), 'utf8');

/** A case that takes so long does not end: its clock is a fake one. */
const STUCK_MS = 5_000;

describe('the broker contract', () => {
  it.each(MUTANTS)('catches a broker that $name', async (mutant) => {
    const create = loadMutant(mutant);

    expect(await findCatch(create)).toBeDefined();
  });
});

/** The naive broker with one mistake. */
function loadMutant({ name, from, to }: Mutant): typeof createNaiveBroker {
  if (SOURCE.split(from).length !== 2) throw new Error(`"${name}" must change one place of the naive broker`);
  const { outputText } = ts.transpileModule(
    SOURCE.replace(from, () => to),
    {
      compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
    },
  );
  const exported: { createNaiveBroker?: typeof createNaiveBroker } = {};
  compileFunction(outputText, ['exports', 'require'])(exported, () => brokerKit);
  return exported.createNaiveBroker ?? missing();
}

function missing(): never {
  throw new Error('the naive broker exports no createNaiveBroker');
}

/** The name of the first case that the broker fails. */
async function findCatch(create: typeof createNaiveBroker): Promise<string | undefined> {
  for (const one of brokerContract) if (!(await passes(one, create))) return one.name;
  return undefined;
}

async function passes({ run }: BrokerCase, create: typeof createNaiveBroker): Promise<boolean> {
  let advance: BrokerScene['advance'] = async () => {};
  const scene: BrokerScene = {
    open: async (options) => {
      const harness = openNaive(create, options);
      advance = harness.advance;
      return harness.broker;
    },
    advance: (ms) => advance(ms),
    abilities: ['retention', 'cancel-notifications'],
  };
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, STUCK_MS, false);
  });
  const passed = run(scene).then(
    () => true,
    () => false,
  );
  const answer = await Promise.race([passed, stuck]);
  clearTimeout(timer);
  return answer;
}
