import type { BrokerAbility, BrokerScene, StorageOptions } from './broker-scene.ts';
import type { CaseScene } from './case-scene.ts';
import { runOnScene } from './case-scene.ts';

/** One rule that every broker keeps to. */
export interface BrokerCase {
  /** A sentence, unique in the contract. */
  readonly name: string;
  /** What the broker must be able to do for this rule to apply; skip the case where it is not. */
  readonly requires: readonly BrokerAbility[];
  /** Resolves when the broker keeps to the rule, else rejects, mostly with an `AssertionError`. */
  readonly run: (scene: BrokerScene) => Promise<void>;
}

/** Cases by their names; `%s` in the name of a table is replaced by the label of the row. */
export type CasesByName = Readonly<Record<string, CaseRun | CaseTable>>;

type CaseRun = (scene: CaseScene) => Promise<void>;

/** One case for each of several values; made when the contract is listed, so that bundlers can drop it unused. */
interface CaseTable {
  readonly listRows: () => readonly { readonly label: string; readonly run: CaseRun }[];
}

/** What the cases of a group have in common. */
interface GroupNeeds {
  readonly storage?: StorageOptions;
  readonly requires?: readonly BrokerAbility[];
}

const KEEP_EVERYTHING: StorageOptions = { keepCompleted: { count: Infinity } };

/** One case for each value. The label of a tuple is its first member. */
export function each<const Value>(
  listValues: () => readonly Value[],
  run: (scene: CaseScene, value: Value) => Promise<void>,
): CaseTable {
  const toRow = (value: Value) => ({ label: labelOf(value), run: (scene: CaseScene) => run(scene, value) });
  return { listRows: () => listValues().map(toRow) };
}

/** The cases as entries of the contract. */
export function defineCases(
  cases: CasesByName,
  { storage = KEEP_EVERYTHING, requires = [] }: GroupNeeds = {},
): readonly BrokerCase[] {
  return Object.entries(cases)
    .flatMap(([name, one]) => (typeof one === 'function' ? [{ name, run: one }] : nameRows(name, one)))
    .map(({ name, run }) => ({
      name,
      requires,
      run: async (scene) => {
        refuseMissing(requires, scene);
        await runOnScene(scene, storage, run);
      },
    }));
}

function nameRows(name: string, { listRows }: CaseTable): { readonly name: string; readonly run: CaseRun }[] {
  return listRows().map(({ label, run }) => ({
    name: name.includes('%s') ? name.replace('%s', () => label) : `${name}: ${label}`,
    run,
  }));
}

function refuseMissing(requires: readonly BrokerAbility[], { abilities = [] }: BrokerScene): void {
  const missing = requires.filter((ability) => !abilities.includes(ability));
  if (missing.length === 0) return;
  throw new Error(
    `this case requires ${missing.join(' and ')}, but the scene has no such ability. Skip it, or name the ability.`,
  );
}

function labelOf(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'string') return PLAIN.test(first) ? first : JSON.stringify(first);
  if (Array.isArray(first)) return first.join(' and ');
  return typeof first === 'object' && !(first instanceof Error) ? JSON.stringify(first) : String(first);
}

const PLAIN = /^[\w ,'-]+$/;
