import { it } from 'vitest';

/**
 * Returns an `it` that defines the first of every `n` tests and skips the others, whatever their order when they run: where another
 * engine runs them all, and only what is below the port differs. At night it defines all of them.
 */
export function eachNth(n: number): typeof it {
  let defined = -1;
  return where(() => {
    defined += 1;
    return isNight() || defined % n === 0;
  });
}

/** Returns an `it` that defines the one test of this name, and skips the others. */
export function onlyNamed(name: string): typeof it {
  return where((given) => given === name);
}

/** Whether everything is to run, also what repeats. */
export function isNight(): boolean {
  return process.env['RETRY_TESTS'] === 'nightly';
}

function where(isDefined: (name: string) => boolean): typeof it {
  const choose = (name: string) => (isDefined(name) ? it : it.skip);
  const define = (name: string, ...test: readonly unknown[]) =>
    Reflect.apply(choose(name), undefined, [name, ...test]);
  const each =
    (...table: readonly unknown[]) =>
    (name: string, ...test: readonly unknown[]) => {
      const chosen = choose(name);
      Reflect.apply(chosen.each, chosen, table)(name, ...test);
    };
  return Object.assign(define, { each }) as typeof it; // as much of it as tests call
}
