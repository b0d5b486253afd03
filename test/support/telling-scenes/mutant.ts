import fc from 'fast-check';
import type { Real } from '../broker-commands.ts';
import type { Model } from '../broker-model.ts';
import { createModel } from '../broker-model.ts';
import type { TellingScene } from './scene.ts';

/** A mistake in the texts of a broker, its scripts or its statements, which the differential test has to notice. */
export interface Mutant {
  readonly name: string;
  /** Part of the texts as they are. */
  readonly right: string;
  readonly wrong: string;
  /** Commands that show the mistake, where random ones seldom do. */
  readonly scene?: TellingScene;
}

/** Opens pairs of a memory broker and the broker with the mistake. */
interface Pairs {
  readonly open: () => Promise<Real>;
}

/** The same commands in every run of a test: a mistake is noticed always, or never. */
const SAMPLE = { seed: 1, numRuns: 150, endOnFailure: true } as const;

const COMMANDS = { maxCommands: 200, size: 'max' } as const;

/** Returns the error by which its scene, or else random commands, notice a mistake; `undefined` when they do not. */
export async function noticeMistake(
  { scene }: Pick<Mutant, 'scene'>,
  pairs: Pairs,
  commands: fc.Arbitrary<fc.AsyncCommand<Model, Real>>[],
): Promise<unknown> {
  if (scene !== undefined)
    return playOn(pairs, scene).then(
      () => undefined,
      (error: unknown) => error,
    );
  const property = fc.asyncProperty(fc.commands(commands, COMMANDS), (some) =>
    playOn(pairs, (real) => fc.asyncModelRun(() => ({ model: createModel(), real }), some)),
  );
  return (await fc.check(property, SAMPLE)).errorInstance ?? undefined;
}

/** Plays a scene on a new pair, and closes that. */
export async function playOn({ open }: Pairs, scene: TellingScene): Promise<void> {
  const real = await open();
  await scene(real).finally(() => real.broker.close());
}

/** A scene, and the mistakes that it shows. */
interface SharedScene {
  readonly scene: TellingScene;
  /** The name of the first of them. */
  readonly name: string;
  readonly shown: number;
}

/** Returns each scene of these mistakes once. */
export function scenesOf(mutants: readonly Mutant[]): readonly SharedScene[] {
  const names = new Map<TellingScene, string[]>();
  for (const { name, scene } of mutants) {
    if (scene !== undefined) names.set(scene, [...(names.get(scene) ?? []), name]);
  }
  return [...names].map(([scene, [name = '', ...others]]) => ({ scene, name, shown: others.length + 1 }));
}

/** Of all mistakes, those without a scene among them. */
const LEAST_SHOWN = 0.6;

/** Returns the scenes of the smoke test: those that show two mistakes or more, and as many others as show six tenths of all together. */
export function smokeScenes(mutants: readonly Mutant[]): readonly SharedScene[] {
  const scenes: SharedScene[] = [];
  let shown = 0;
  for (const each of [...scenesOf(mutants)].sort((one, other) => other.shown - one.shown)) {
    if (each.shown < 2 && shown >= LEAST_SHOWN * mutants.length) break;
    scenes.push(each);
    shown += each.shown;
  }
  return scenes;
}
