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

/**
 * Returns each scene of these mistakes once, with the name of the first one that it shows.
 *
 * @param atLeast - how many of the mistakes it shows
 */
export function scenesOf(
  mutants: readonly Mutant[],
  atLeast = 1,
): readonly { readonly name: string; readonly scene: TellingScene }[] {
  const names = new Map<TellingScene, string[]>();
  for (const { name, scene } of mutants) {
    if (scene !== undefined) names.set(scene, [...(names.get(scene) ?? []), name]);
  }
  return [...names].flatMap(([scene, [name = '', ...others]]) =>
    others.length + 1 >= atLeast ? [{ name, scene }] : [],
  );
}
