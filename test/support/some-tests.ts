import { it } from 'vitest';

/**
 * Returns an `it` that defines the first of every `n` tests and skips the others, whatever their order when they run: where only what is
 * below the port differs from the engine that runs them all. At night it defines all of them.
 */
export function eachNth(n: number, whoRunsAll: string): typeof it {
  let defined = -1;
  return where(() => {
    defined += 1;
    return isNight() || defined % n === 0;
  }, `${whoRunsAll} runs each, here each ${n}rd does`);
}

/** Returns an `it` that defines the one test of this name, and skips the others: another engine runs them all. */
export function onlyNamed(name: string, whoRunsAll: string): typeof it {
  return where((given) => given === name, `${whoRunsAll} runs each, here one does`);
}

/** Returns an `it` that skips its tests unless this machine has what they need, and says in their names what that is. */
export function itWhere(isThere: boolean, need: string): typeof it {
  return where(() => isThere, `it needs ${need}`);
}

/** Whether everything is to run, also what repeats. */
export function isNight(): boolean {
  return process.env['RETRY_TESTS'] === 'nightly';
}

/** The names of those that are skipped say why, for the summary of the run. */
function where(isDefined: (name: string) => boolean, reason: string): typeof it {
  const choose = (name: string): readonly [typeof it, string] =>
    isDefined(name) ? [it, name] : [it.skip as typeof it, `${name} (not run: ${reason})`]; // as much of it as is called
  const define = (name: string, ...test: readonly unknown[]) => {
    const [chosen, title] = choose(name);
    return Reflect.apply(chosen, undefined, [title, ...test]);
  };
  const each =
    (...table: readonly unknown[]) =>
    (name: string, ...test: readonly unknown[]) => {
      const [chosen, title] = choose(name);
      Reflect.apply(chosen.each, chosen, table)(title, ...test);
    };
  return Object.assign(define, { each }) as typeof it; // as much of it as tests call
}
